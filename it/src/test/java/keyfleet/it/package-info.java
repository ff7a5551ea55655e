/// What is tested on the whole product: its sources against the rules of the house
/// (`ArchitectureTest`), and real processes against real servers. Nothing depends on this room, so
/// it may name any other.
///
/// ## Real processes
///
/// | test                 | what happens to a fleet                                              |
/// |----------------------|----------------------------------------------------------------------|
/// | [RotationStoryTest]          | a laggard refused, a rotation under load, the old key removed        |
/// | [KilledDriverTest]   | the driver or the operator is killed at every failpoint              |
/// | [StoreOutageTest]    | PostgreSQL or NATS is killed in mid-rotation, and comes back         |
/// | [PausedWriterTest]   | a writer is stopped past every deadline, also between seal and write |
/// | [FaultyFleetTest]        | wrong bytes, missing keys, names taken twice, spoilt records         |
/// | [ProviderMigrationTest]      | keys move from env to files to a token; one is revoked               |
///
/// A [ProcessFleet] starts each process as a [TestProcess], a JVM of its own, on the stores of a
/// [TestStores]. `keyfleet server` and the commands run as shipped; [ServerUnderTest] and
/// [OperatorUnderTest] are the same code with failpoints that halt the JVM; a [OrderApplication] is
/// an application. An [InProcessOperator] looks and orders from the test's own JVM, where that is
/// quicker than a command.
@NullMarked
package keyfleet.it;

import org.jspecify.annotations.NullMarked;
