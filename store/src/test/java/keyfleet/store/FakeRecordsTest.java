package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsFixture fixture() {
    return RecordsFixture.ofFake(UnaryOperator.identity());
  }
}
