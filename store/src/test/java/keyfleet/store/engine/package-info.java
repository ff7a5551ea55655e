/// Tests of URLs and of the compare-and-set probe, and the contract suite for engines that scan for
/// envelopes.
///
/// Start reading at: [EnvelopeScannerContract], [CompareAndSetProbeTest].
@NullMarked
package keyfleet.store.engine;

import org.jspecify.annotations.NullMarked;
