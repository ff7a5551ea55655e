/// Starts the processes that the tests observe: servers, applications and commands, each a JVM of
/// its own on real stores. It also offers members and operators inside the test's own JVM.
///
/// Start reading at: [ProcessFleet], [TestProcess], [TestStores].
@NullMarked
package keyfleet.it.process;

import org.jspecify.annotations.NullMarked;
