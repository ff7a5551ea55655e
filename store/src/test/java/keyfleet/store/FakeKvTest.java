package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeKvTest implements KvContract, KvRaceContract {
  @Override
  public KvRig rig() {
    return KvRig.ofFake(UnaryOperator.identity());
  }
}
