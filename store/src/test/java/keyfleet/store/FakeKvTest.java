package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture rig() {
    return KvFixture.ofFake(UnaryOperator.identity());
  }
}
