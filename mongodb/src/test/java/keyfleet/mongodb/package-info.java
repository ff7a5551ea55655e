/// MongoDB held to the contract of `store`, on real servers.
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
