/// MongoDB held to the contract of `store`: on mongo-java-server, which is in memory, keeps
/// compare-and-set atomic, and sweeps and validates nothing; or on the real server that
/// `KEYFLEET_TEST_MONGODB` names, where each rig has a database of its own and drops it.
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
