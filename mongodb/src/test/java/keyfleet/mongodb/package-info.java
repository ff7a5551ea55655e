/// Tests of the MongoDB engine: the contract suite of `store`, and more. They run on
/// mongo-java-server, an in-memory emulator with atomic compare-and-set that neither sweeps nor
/// enforces validators; or on the real server that `KEYFLEET_TEST_MONGODB` names, where each
/// fixture has its own database and drops it.
///
/// Start reading at: [MongoTestServers] (the servers), [ScriptedMongoBackend] (faults).
@NullMarked
package keyfleet.mongodb;

import org.jspecify.annotations.NullMarked;
