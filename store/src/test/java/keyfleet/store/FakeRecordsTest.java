package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsFixture rig() {
    return RecordsFixture.ofFake(UnaryOperator.identity());
  }
}
