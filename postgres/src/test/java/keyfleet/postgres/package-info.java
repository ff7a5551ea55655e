/// PostgreSQL held to the contract of `store`, on real servers.
@NullMarked
package keyfleet.postgres;

import org.jspecify.annotations.NullMarked;
