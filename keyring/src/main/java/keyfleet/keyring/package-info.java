/// The rules for keys: the keystore of a keyring with its rotation, the roster of processes, the
/// readiness gate, admission and removal.
///
/// Start reading at: [Keystore], [Rotation], [ReadinessGate], [VersionRemoval].
///
/// Pure: no clock, no randomness, no I/O. A caller reads the keystore, calls [Keystore#decide], and
/// writes the result back by compare-and-set; if it loses a race, it reads and decides again. This
/// package decides when and in which order records are rewrapped and fences are set, not how.
///
/// ## A rotation from version M to N
///
/// Each arrow is one compare-and-set of the keystore. An event of a driver names the rotation and
/// the epoch it was made for. An event of another rotation or epoch is ignored, so a driver that
/// was paused does no harm.
///
/// ```
/// Idle          --StartRequested---> Staged         N is staged; then the roster is listed
/// Staged        --Unstaged---------> Idle           not ready, or a dry run
/// Staged        --AbortRequested---> Aborted        nothing was sealed under N yet
/// Staged        --GatePassed-------> OpeningFences  writable = {M, N}
/// Staged        --GatePassed-------> Settling       the flip at once: a kms keyring has no records
/// OpeningFences --FencesOpened-----> Rewrapping
/// OpeningFences --AbortRequested---> Settling       the course turns
/// Rewrapping    --RewrapEnded------> Settling       the flip: N is active, epoch + 1
/// Rewrapping    --AbortRequested---> Settling       the course turns: M stays active, epoch + 1
/// Settling      --Settled----------> Fencing        writable = {N}
/// Settling      --Settled----------> Proving        a kms keyring has no fences
/// Settling      --AbortRequested---> Settling       the course turns: M is active again, epoch + 1
/// Fencing       --Fenced-----------> Sweeping
/// Fencing       --AbortRequested---> Settling       the course turns
/// Sweeping      --SweepEnded-------> Proving
/// Sweeping      --RecordsBlocked---> Blocked        records that only an operator can repair
/// Blocked       --RecordsRepaired--> Sweeping
/// Blocked       --StartRequested---> Staged         a new rotation takes over
/// Proving       --OldRecordsFound--> Sweeping
/// Proving       --StartRequested---> Staged         the next one; its proof covers M too
/// Proving       --AbortRequested---> Settling       of a kms keyring: the course turns
/// Proving       --Proved-----------> Completed
/// Proving       --Proved-----------> Aborted        if the course had turned
/// Completed     --StartRequested---> Staged
/// Aborted       --StartRequested---> Staged
/// ```
///
/// A rotation of a kms keyring moves nothing itself: API servers write the new key_id after the
/// flip, and someone rewrites the objects. It has no Rewrapping, Fencing and Sweeping, and can be
/// aborted until it is proved.
///
/// A dry run never leaves Staged, except back to Idle. A revocation takes the same path, but
/// encrypts records again instead of wrapping their data keys again. It cannot be aborted once it
/// has passed the gate, and it ends with M disabled permanently.
///
/// Between Staged and Proving, PauseRequested leads to Paused and ResumeRequested back, and Adopted
/// changes the driver. A test compares the lines above with the transitions of random walks.
@NullMarked
package keyfleet.keyring;

import org.jspecify.annotations.NullMarked;
