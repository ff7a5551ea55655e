/// Tests the whole product: its modules against the architecture rules, and real processes against
/// real servers. No module depends on this one, so it may use all others.
///
/// Start reading at: [keyfleet.it.story.RotationStoryTest], [keyfleet.it.process.ProcessFleet],
/// [keyfleet.it.architecture.ArchitectureTest].
///
/// | package         | what is in it                                              |
/// |-----------------|------------------------------------------------------------|
/// | `.architecture` | all modules, against the architecture rules                |
/// | `.process`      | what tests start: processes, stores, members, operators    |
/// | `.story`        | rotations on real processes                                |
/// | `.plugin`       | the KMS plugin as a process, its traces, its packaging     |
/// | `.kube`         | the KMS plugin with Kubernetes' own code                   |
/// | `.soak`         | the KMS plugin under full load and faults                  |
/// | `.command`      | the launcher, its jars, and the transcripts                |
@NullMarked
package keyfleet.it;

import org.jspecify.annotations.NullMarked;
