/// Runs the KMS plugin under full load while its remote fails, its store is locked and its process
/// is killed. Every answer is checked as it arrives.
///
/// Start reading at: [PluginSoak], [SoakRun], [PluginChecker].
@NullMarked
package keyfleet.it.soak;

import org.jspecify.annotations.NullMarked;
