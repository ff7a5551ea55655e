/// The ports of `store` on NATS JetStream.
@NullMarked
package keyfleet.nats;

import org.jspecify.annotations.NullMarked;
