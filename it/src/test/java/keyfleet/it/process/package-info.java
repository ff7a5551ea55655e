/// Starts the processes that tests observe, and offers members and operators inside the test's own
/// JVM.
///
/// Start reading at: [ProcessFleet], [TestProcess], [TestStores].
///
/// A [ProcessFleet] starts each process as a [TestProcess], a JVM of its own, on a [TestStores].
/// `keyfleet server` and the commands run as shipped. [ServerUnderTest] and [OperatorUnderTest] run
/// the same code with failpoints that halt the JVM. An [OrderApplication] is an application with
/// the SDK. An [InProcessOperator] reads and orders inside the test's JVM, where starting a command
/// would take too long.
@NullMarked
package keyfleet.it.process;

import org.jspecify.annotations.NullMarked;
