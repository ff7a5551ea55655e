package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeKvTest implements KvContract, KvRaceContract {
  @Override
  public KvFixture fixture() {
    return KvFixture.ofFake(UnaryOperator.identity());
  }
}
