/// Fakes of the ports, and the contract that every engine keeps. An engine's test implements
/// [KvContract], [KvRaceContract], [RecordsContract] and [FenceContract], each by one method that
/// makes a rig around an empty store.
@NullMarked
package keyfleet.store;

import org.jspecify.annotations.NullMarked;
