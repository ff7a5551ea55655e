/// Histories of a fleet, run through the very classes that production runs.
///
/// The explorer visits every state that a small fleet can reach, whatever the order of its steps
/// and whoever falls asleep in between, and checks in each that no promise is broken. What is real
/// here is the deciding code ([keyfleet.keyring.Keystore#decide], [keyfleet.keyring.Removal]); what
/// is modelled is everything that acts: processes that seal and write later, drivers that read and
/// write later, stores with a fence.
@NullMarked
package keyfleet.sim;

import org.jspecify.annotations.NullMarked;
