/// Benchmarks. Each runs beside what it is compared with, in one run on one machine, and is
/// reported as a ratio: an absolute time says more about the machine than about the code.
///
/// Start reading at: [Bench], [EnginesBench], [RotationBench], [VerifyBench], [AuditBench],
/// [EnvelopeBench].
@NullMarked
package keyfleet.bench;

import org.jspecify.annotations.NullMarked;
