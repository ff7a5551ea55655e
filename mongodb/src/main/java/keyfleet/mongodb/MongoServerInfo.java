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
record MongoServerInfo(Document hello, Document buildInfo) {
  private static final String FERRET = "ferretdb";

  static MongoServerInfo fetch(MongoStoreClock clock, MongoDatabase admin) {
    return new MongoServerInfo(clock.sendHello(), admin.runCommand(new Document("buildInfo", 1)));
  }

  void requireUsable(StoreUrl url) {
    if (buildInfo.keySet().stream().anyMatch(it -> it.startsWith(FERRET))) {
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
    return isStandalone() ? ReadConcern.LOCAL : ReadConcern.LINEARIZABLE;
  }

  List<StoreCheck> checks(StoreUrl url) {
    List<StoreCheck> storeChecks = new ArrayList<>();
    storeChecks.add(replicationCheck());
    storeChecks.add(StoreCheck.ok("writes wait for a majority of the members and their journals"));
    if (!replicaSet().isEmpty() && url.parameter("replicaSet").isEmpty()) {
      storeChecks.add(
          StoreCheck.warn(
              "the URL does not follow replica set %s to its next primary".formatted(replicaSet()),
              "name every member in the URL, and replicaSet=" + replicaSet()));
    }
    storeChecks.add(versionCheck());
    return storeChecks;
  }

  private StoreCheck replicationCheck() {
    return isStandalone()
        ? StoreCheck.warn(
            "MongoDB runs as one server without replica set: its disk is the only copy",
            "run a replica set of three")
        : StoreCheck.ok("MongoDB answers as primary and confirms each read with a majority");
  }

  private StoreCheck versionCheck() {
    return buildInfo.containsKey("gitVersion")
        ? StoreCheck.warn(
            "Keyfleet was not tested on MongoDB %s".formatted(version()),
            "run the contract suite on it with KEYFLEET_TEST_MONGODB, and doctor's probe")
        : StoreCheck.warn(
            "this is a stand-in for MongoDB (it says %s) and may keep nothing".formatted(version()),
            "MongoDB's own server, for anything but tests");
  }

  private String version() {
    return String.valueOf(buildInfo.get("version"));
  }

  private boolean isPrimary() {
    return hello.getBoolean("isWritablePrimary", hello.getBoolean("ismaster", false));
  }

  private boolean isStandalone() {
    return replicaSet().isEmpty() && !"isdbgrid".equals(hello.get("msg"));
  }

  private String replicaSet() {
    String name = hello.getString("setName");
    return name == null ? "" : name;
  }
}
