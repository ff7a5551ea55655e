/// What the plugin announces to Kubernetes, and the loop that keeps it in step with the fleet.
///
/// Start reading at: [KeyReconciler], [AnnouncementStore], [PluginSnapshot].
///
/// Only the reconciler's thread changes what is announced. [AnnouncementStore] writes a
/// [PluginSnapshot] to the disk, then replaces the one [Announcement] that Status and Encrypt read.
@NullMarked
package keyfleet.kms.state;

import org.jspecify.annotations.NullMarked;
