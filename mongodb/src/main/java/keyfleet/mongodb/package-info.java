/// The ports of `store` on MongoDB.
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
