/// Tests of the NATS engine on real servers: the contract suites of `store`, outages, clusters and
/// security.
///
/// Start reading at: [NatsKvTest], [NatsEngineTest], [NatsClusterTest].
@NullMarked
package keyfleet.nats;

import org.jspecify.annotations.NullMarked;
