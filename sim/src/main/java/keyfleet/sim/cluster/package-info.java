/// Simulates clusters whose API servers encrypt through plugins of one kms keyring: plugins that
/// announce a key_id, API servers that write and read objects, workers, and operators who rotate,
/// attest, forget and withdraw. Members, workers and operators run the production classes; plugins
/// and API servers are modelled. The oracle checks what is true of keys and objects.
///
/// Start reading at: [ClusterFleet], [ClusterNode], [ClusterOracle].
@NullMarked
package keyfleet.sim.cluster;

import org.jspecify.annotations.NullMarked;
