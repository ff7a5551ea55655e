/// Fakes of the ports, and the contract suites that every engine must pass. An engine's test
/// implements [KvContract], [KvRaceContract], [RecordsContract] and [FenceContract], each with one
/// method that creates a fixture around an empty store.
///
/// Start reading at: [KvContract] and [RecordsContract], then [FakeKv] and [FakeRecords].
/// [ContractFlawTest] shows that the suites catch broken engines.
@NullMarked
package keyfleet.store;

import org.jspecify.annotations.NullMarked;
