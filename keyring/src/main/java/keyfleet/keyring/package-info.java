/// What a keyring is at any moment, and what may become of it: the keystore with the rotation
/// inside it, the roster of processes, the gate, removal.
///
/// Pure: no clock, no randomness, no I/O. A caller reads the keystore, asks [Keystore#decide], and
/// writes the answer back by compare-and-set; a lost race reads and asks again. Nothing here says
/// how records are rewrapped or how a fence is armed, only when and in which order.
///
/// ## A rotation from version M to N
///
/// Each arrow is one compare-and-set of the keystore. A driver's event names the rotation and the
/// epoch it was made for; one of another rotation or epoch is ignored, so a driver that slept does
/// no harm.
///
/// ```
/// Idle       --StartRequested--> Staged      N is staged; then the roster is listed
/// Staged     --Unstaged------> Idle        not ready, or a dry run
/// Staged     --AbortRequested--> Aborted     nothing was sealed under N yet
/// Staged     --GatePassed----> Opening     writable = {M, N}
/// Opening    --Opened--------> Rewrapping
/// Opening    --AbortRequested--> Settling    the course turns
/// Rewrapping --RewrapEnded-----> Settling    the flip: N is active, epoch + 1
/// Rewrapping --AbortRequested--> Settling    the course turns: M stays active, epoch + 1
/// Settling   --Settled-------> Fencing     writable = {N}
/// Settling   --AbortRequested--> Settling    the course turns: M is active again, epoch + 1
/// Fencing    --Fenced--------> Sweeping
/// Fencing    --AbortRequested--> Settling    the course turns
/// Sweeping   --SweepEnded----> Proving
/// Sweeping   --RecordsBlocked---> Blocked     records that only a person can mend
/// Blocked    --RecordsRepaired--> Sweeping
/// Blocked    --StartRequested--> Staged      a new rotation takes over
/// Proving    --Straggled-----> Sweeping
/// Proving    --Proved--------> Completed
/// Proving    --Proved--------> Aborted     if the course had turned
/// Completed  --StartRequested--> Staged
/// Aborted    --StartRequested--> Staged
/// ```
///
/// A dry run goes no further than Staged. A revocation takes the same way, encrypts records anew
/// instead of wrapping their data keys anew, has no way back once it has passed the gate, and ends
/// with M disabled for good.
///
/// Between Staged and Proving, PauseRequested leads to Paused and ResumeRequested back, and Adopted
/// changes the driver. The lines above are checked against what random walks do.
@NullMarked
package keyfleet.keyring;

import org.jspecify.annotations.NullMarked;
