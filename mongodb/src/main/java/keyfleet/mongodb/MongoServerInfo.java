package keyfleet.mongodb;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.bson.Document;

/// What a server says of itself, and what that means for safety.
record MongoServerInfo(Document greeting, Document build) {
  private static final String FERRET = "ferretdb";

  static MongoServerInfo of(MongoStoreClock clock, MongoDatabase admin) {
    return new MongoServerInfo(clock.greet(), admin.runCommand(new Document("buildInfo", 1)));
  }

  void refuseUnlessUsable(StoreUrl url) {
    if (build.keySet().stream().anyMatch(it -> it.startsWith(FERRET))) {
      throw new StoreRefusedException(
          "FerretDB loses acknowledged writes: of 615 compare-and-sets that 8 writers were told had"
              + " happened, 167 had (measured on 1.24)",
          "MongoDB's own server, or postgresql://HOST/DATABASE");
    }
    if (!isPrimary()) {
      throw new StoreRefusedException(
          "%s is not the primary of its replica set".formatted(url),
          replicaSet().isEmpty()
              ? "name every member in the URL, and replicaSet=NAME"
              : "name every member in the URL, and replicaSet=" + replicaSet());
    }
  }

  /// Only members of a replica set know a linearizable read. A server that stands alone has nobody
  /// to be behind.
  ReadConcern readConcern() {
    return standsAlone() ? ReadConcern.LOCAL : ReadConcern.LINEARIZABLE;
  }

  List<StoreCheck> checks(StoreUrl url) {
    List<StoreCheck> storeChecks = new ArrayList<>();
    storeChecks.add(replication());
    storeChecks.add(StoreCheck.ok("writes wait for a majority of the members and their journals"));
    if (!replicaSet().isEmpty() && url.parameter("replicaSet").isEmpty()) {
      storeChecks.add(
          StoreCheck.warn(
              "the URL does not follow replica set %s to its next primary".formatted(replicaSet()),
              "name every member in the URL, and replicaSet=" + replicaSet()));
    }
    storeChecks.add(tested());
    return storeChecks;
  }

  private StoreCheck replication() {
    return standsAlone()
        ? StoreCheck.warn(
            "MongoDB runs as one server without replica set: its disk is the only copy",
            "run a replica set of three")
        : StoreCheck.ok("MongoDB answers as primary and confirms each read with a majority");
  }

  private StoreCheck tested() {
    return build.containsKey("gitVersion")
        ? StoreCheck.warn(
            "Keyfleet was not tested on MongoDB %s".formatted(version()),
            "run the contract suite on it with KEYFLEET_TEST_MONGODB, and doctor's probe")
        : StoreCheck.warn(
            "this is a stand-in for MongoDB (it says %s) and may keep nothing".formatted(version()),
            "MongoDB's own server, for anything but tests");
  }

  private String version() {
    return String.valueOf(build.get("version"));
  }

  private boolean isPrimary() {
    return greeting.getBoolean("isWritablePrimary", greeting.getBoolean("ismaster", false));
  }

  private boolean standsAlone() {
    return replicaSet().isEmpty() && !"isdbgrid".equals(greeting.get("msg"));
  }

  private String replicaSet() {
    String name = greeting.getString("setName");
    return name == null ? "" : name;
  }
}
