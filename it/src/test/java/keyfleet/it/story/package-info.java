/// Tests rotations on real processes, under load and with faults.
///
/// Start reading at: [RotationStoryTest], [KilledDriverTest].
///
/// | test                    | what happens to the fleet                                            |
/// |-------------------------|----------------------------------------------------------------------|
/// | [RotationStoryTest]     | a laggard is refused, a rotation runs under load, the old key goes   |
/// | [KilledDriverTest]      | the driver or the operator is killed at every failpoint              |
/// | [StoreOutageTest]       | PostgreSQL or NATS is killed during a rotation and restarted         |
/// | [PausedWriterTest]      | a writer is stopped past every deadline, also between seal and write |
/// | [FaultyFleetTest]       | wrong bytes, missing keys, duplicate names, corrupted records        |
/// | [ProviderMigrationTest] | keys move from env to files to a token; one key is revoked           |
/// | [ClockSkewTest]         | hosts have wrong dates                                               |
@NullMarked
package keyfleet.it.story;

import org.jspecify.annotations.NullMarked;
