/// NATS JetStream held to the contract of `store`, on real servers.
@NullMarked
package keyfleet.nats;

import org.jspecify.annotations.NullMarked;
