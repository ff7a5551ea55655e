package keyfleet.mongodb;

import com.mongodb.ReadConcern;
import com.mongodb.client.MongoDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.PrintableText;
import org.bson.Document;

/// A server's own description (`hello` and `buildInfo`), and the safety checks based on it.
record MongoServerInfo(Document hello, Document buildInfo) {
  private static final String FERRET = "ferretdb";
  private static final String FERRET_FEATURES = "ferretdbFeatures";
  private static final String LOST_BY_1 =
      "of 615 compare-and-sets that it acknowledged to 8 writers, it kept 167 (measured on 1.24)";
  private static final String LOST_BY_2 =
      "of 300 raced upserts that it acknowledged, it lost 295 (measured on 2.7)";

  static MongoServerInfo fetch(MongoStoreClock clock, MongoDatabase admin) {
    return new MongoServerInfo(clock.sendHello(), admin.runCommand(new Document("buildInfo", 1)));
  }

  void requireUsable(StoreUrl url) {
    Optional<String> ferretVersion = ferretVersion();
    if (ferretVersion.isPresent()) {
      String version = ferretVersion.get();
      throw new StoreRefusedException(
          "FerretDB %s %s".formatted(version, measurementOfFerret(version)),
          "use MongoDB's own server, or postgresql://HOST/DATABASE");
    }
    if (!isPrimary()) {
      throw new StoreRefusedException(
          "%s is not the primary of its replica set".formatted(url),
          replicaSet().isEmpty()
              ? "name every member in the URL, and replicaSet=NAME"
              : "name every member in the URL, and replicaSet=" + replicaSet());
    }
  }

  /// What was measured on that line of versions. Of another line, it is only known what its
  /// predecessor did.
  private static String measurementOfFerret(String version) {
    return switch (version.split("\\.", 2)[0]) {
      case "1" -> "loses acknowledged writes: " + LOST_BY_1;
      case "2" -> "loses acknowledged writes: " + LOST_BY_2;
      default -> "was not measured, and FerretDB 2 loses acknowledged writes: " + LOST_BY_2;
    };
  }

  /// The version of a FerretDB server, without the leading `v`; empty for another server.
  private Optional<String> ferretVersion() {
    return buildInfo.entrySet().stream()
        .filter(it -> it.getKey().startsWith(FERRET) && !it.getKey().equals(FERRET_FEATURES))
        .map(Map.Entry::getValue)
        .map(it -> String.valueOf(it instanceof Document own ? own.get("version") : it))
        .map(PrintableText::of)
        .map(it -> it.startsWith("v") ? it.substring(1) : it)
        .findFirst();
  }

  /// Never a write that the set may yet lose, although a secondary may not know the latest one.
  ReadConcern pageReadConcern() {
    return isStandalone() ? ReadConcern.LOCAL : ReadConcern.MAJORITY;
  }

  /// Only members of a replica set support linearizable reads. A standalone server does not need
  /// them: it cannot lag behind another server.
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
              "the URL does not follow a failover of replica set %s".formatted(replicaSet()),
              "name every member in the URL, and replicaSet=" + replicaSet()));
    }
    if (MongoSettings.pageReadPreference(url).isSecondaryOk()) {
      storeChecks.add(
          StoreCheck.ok(
              "lists may be read from a secondary that lags up to %d s, decisions from the primary"
                  .formatted(MongoSettings.MAX_PAGE_LAG.toSeconds())));
    }
    storeChecks.add(versionCheck());
    return storeChecks;
  }

  private StoreCheck replicationCheck() {
    return isStandalone()
        ? StoreCheck.warn(
            "MongoDB runs as one server without replica set: its disk has the only copy",
            "run a replica set of three members")
        : StoreCheck.ok("MongoDB is the primary and confirms each read with a majority");
  }

  private StoreCheck versionCheck() {
    return buildInfo.containsKey("gitVersion")
        ? StoreCheck.warn(
            "Keyfleet was not tested with MongoDB %s".formatted(version()),
            "run the contract suite with KEYFLEET_TEST_MONGODB, and keyfleet doctor")
        : StoreCheck.warn(
            "this server emulates MongoDB (version %s) and may not keep data".formatted(version()),
            "use MongoDB's own server, except for tests");
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
