/// The `demo` command: shows a rotation on real processes of this machine, and checks each claim it
/// makes.
///
/// Start reading at: [DemoScenario], which is the script; [LocalDemoFleet], which runs its
/// processes; [DemoShopCommand], the application whose orders are rotated.
@NullMarked
package keyfleet.cli.demo;

import org.jspecify.annotations.NullMarked;
