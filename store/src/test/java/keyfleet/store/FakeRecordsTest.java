package keyfleet.store;

import java.util.function.UnaryOperator;

class FakeRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsRig rig() {
    return RecordsRig.ofFake(UnaryOperator.identity());
  }
}
