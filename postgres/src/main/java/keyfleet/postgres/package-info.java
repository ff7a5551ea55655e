/// The ports of `store` on PostgreSQL.
@NullMarked
package keyfleet.postgres;

import org.jspecify.annotations.NullMarked;
