package keyfleet.it.story;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.cli.config.EngineFactory;
import keyfleet.control.Failpoints;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.crypto.KekVersion;
import keyfleet.it.process.InProcessCommand;
import keyfleet.it.process.InProcessOperator;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.TestStores;
import keyfleet.it.process.TestStores.Kind;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The coordination store is lost and made again, with other keys under the same numbers, before
/// any application runs. The records are still there, on each engine.
@Timeout(120)
class LostKeystoreTest {
  private static final CollectionShape SECRETS =
      new CollectionShape("keyfleet_secrets", "name", new TreeSet<>(List.of("value")))
          .withVersionField("kek_version");

  @TempDir Path folder = Path.of("");

  private Map<String, String> environment(String coordination, TestStores stores, int key) {
    return Map.of(
        "KEYFLEET_STORE",
        "sqlite:" + folder.resolve(coordination),
        "KEYFLEET_RECORDS",
        stores.records(),
        "KEYFLEET_KEK_V1",
        ProcessFleet.key(key),
        "KEYFLEET_KEK_V2",
        ProcessFleet.key(key + 1));
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRES", "MONGODB"})
  void recordsOfALostKeystore_areHeldAndCountedApart(Kind kind) {
    try (TestStores stores = kind.open(folder)) {
      Map<String, String> before = environment("before.db", stores, 0x11);
      InProcessCommand.run(before, "kek", "announce", "--version=1").expectExit(0);
      InProcessCommand.run(before, "secret", "put", "a").expectExit(0);
      InProcessCommand.run(before, "secret", "put", "b").expectExit(0);
      raiseFence(stores, incarnation(before));
      InProcessCommand own = InProcessCommand.run(before, "kek", "inventory", "-o", "json");
      assertTrue(own.out().contains("\"other_keystore\":0"), own::toString);

      Map<String, String> after = environment("after.db", stores, 0x33);
      InProcessCommand.run(after, "kek", "announce", "--version=1").expectExit(0);
      InProcessCommand.run(after, "secret", "put", "c")
          .expectExit(2)
          .expectErrorPart("was fenced by another keystore");
      InProcessCommand.run(after, "kek", "announce", "--version=2")
          .expectExit(2)
          .expectErrorPart("was fenced by another keystore");
      expectRotationRefused(after);
      InProcessCommand.run(after, "kek", "hold", "show").expectExit(2);

      InProcessCommand counted = InProcessCommand.run(after, "kek", "inventory").expectExit(2);
      counted.expectErrorPart(
          "2 records of %s keyfleet_secrets are of another keystore".formatted(engine(stores)));
      assertTrue(counted.out().contains("v1 of another keystore"), counted::toString);
      InProcessCommand json =
          InProcessCommand.run(after, "kek", "inventory", "-o", "json").expectExit(2);
      assertTrue(json.out().contains("\"other_keystore\":2"), json::toString);
    }
  }

  private static void expectRotationRefused(Map<String, String> environment) {
    try (InProcessOperator operator = new InProcessOperator(environment, Failpoints.NONE)) {
      Refused refused =
          assertInstanceOf(
              Refused.class,
              operator.orders().rotate(InProcessOperator.v(1), InProcessOperator.v(2)));
      assertTrue(refused.reason().contains("was fenced by another keystore"), refused::reason);
    }
  }

  private static String engine(TestStores stores) {
    return StoreUrl.parse(stores.records()).scheme();
  }

  /// As a rotation of the keystore does. The MongoDB fake stores a fence without enforcing it.
  private static void raiseFence(TestStores stores, long incarnation) {
    try (Engine engine = EngineFactory.open(StoreUrl.parse(stores.records()))) {
      FenceResult raised =
          engine
              .records(SECRETS)
              .fence(Fence.of(new Fence.Term(incarnation, 2), Set.of(new KekVersion(1))));
      assertTrue(
          raised instanceof FenceResult.Raised || raised instanceof FenceResult.Unenforced,
          raised::toString);
    }
  }

  private static long incarnation(Map<String, String> environment) {
    try (InProcessOperator operator = new InProcessOperator(environment, Failpoints.NONE)) {
      return operator.keystore().identity().incarnation();
    }
  }
}
