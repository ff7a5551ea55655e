package keyfleet.nats;

import static keyfleet.store.StoreFixtures.THINGS;
import static keyfleet.store.StoreFixtures.assertWritten;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nats.client.api.KeyValueEntry;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.store.Bucket;
import keyfleet.store.CollectionShape;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Key;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the engine refuses when it opens, with which message, and what other clients see of its
/// streams.
class NatsEngineTest {
  private static final Bucket HEARTBEATS = new Bucket.Expiring("beats", Duration.ofSeconds(30));
  private static final Key A = new Key("a");

  private static @Nullable NatsTestServer durable;
  private static @Nullable NatsTestServer unsynced;

  @BeforeAll
  static void start(@TempDir(factory = InMemoryTempDir.class) Path folder) {
    durable = NatsTestServer.start(folder.resolve("durable"), NatsTestServer.DURABLE);
    unsynced = NatsTestServer.start(folder.resolve("lazy"), NatsTestServer.UNSYNCED);
  }

  /// The servers are null if this machine has no nats-server.
  @AfterAll
  static void stop() {
    Stream.of(durable, unsynced).filter(Objects::nonNull).forEach(NatsTestServer::close);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ?sync_interval=2m              | a power failure can lose acknowledged writes
          ?replicas=2                    | replicas must be 1, 3 or 5, not 2
          /r3?replicas=3&sync_interval=always | cannot be created or read
          ?sync-interval=always          | no parameter sync-interval
          ?use=all                       | use must be heartbeats
          ?monitor=ftp://x               | monitor must be http or https
          /a-b?sync_interval=always      | prefix of bucket names
          ?tls=yes&sync_interval=always  | tls must be true or false
          ?tls=true&sync_interval=always | does not support TLS
          ?sync_interval=always&tls-cert=none.pem | tls-cert and tls-key must be given together
          """)
  void badUrl_isRefusedWithTheReason(String rest, String message) {
    assertRefused(message, durable().url(rest));
  }

  @Test
  void unknownDurability_isRefusedWithTheRemedy() {
    String remedy = assertRefused("it is unknown", durable().url("")).remedy();
    assertTrue(remedy.contains("sync_interval: always"), remedy);
  }

  @Test
  void unsyncedServer_isRefusedEvenIfTheUrlDeclaresSync() {
    assertRefused(
        "acknowledges writes before they are on disk",
        unsynced().url("?monitor=" + unsynced().monitor()));
    assertRefused(
        "acknowledges writes before they are on disk",
        unsynced().url("?sync_interval=always&monitor=" + unsynced().monitor()));
  }

  @Test
  void monitorOfAnotherServer_provesNothing() {
    assertRefused(
        "not the server that this process is connected to",
        unsynced().url("?monitor=" + durable().monitor()));
  }

  @Test
  void deadMonitor_isRetriedUnlessTheUrlDeclaresSync() {
    String dead = "?monitor=http://127.0.0.1:" + NatsTestServer.freePort();
    StoreException e =
        assertThrows(StoreException.class, () -> NatsEngine.open(durable().url(dead)));
    assertFalse(e instanceof StoreRefusedException, e.getMessage());
    assertEquals(StoreCheck.Level.WARN, worstLevel(durable().url(dead + "&sync_interval=always")));
  }

  @Test
  void shownDurability_isOkAndDeclaredWarns() {
    assertEquals(StoreCheck.Level.OK, worstLevel(durable().url("?monitor=" + durable().monitor())));
    assertEquals(StoreCheck.Level.WARN, worstLevel(durable().url("?sync_interval=always")));
  }

  @Test
  void unsyncedServerForHeartbeats_refusesLastingBuckets() {
    try (NatsEngine engine =
        NatsEngine.open(unsynced().url("/beats1?use=heartbeats&monitor=" + unsynced().monitor()))) {
      assertWritten(engine.kv().put(HEARTBEATS, A, Value.of("alive")));
      assertTrue(engine.storeChecks().stream().anyMatch(it -> it.level() == StoreCheck.Level.WARN));
      assertThrows(
          StoreRefusedException.class, () -> engine.kv().put(THINGS, A, Value.of("keystore")));
      assertThrows(StoreRefusedException.class, () -> engine.kv().get(THINGS, A));
    }
  }

  @Test
  void deadHost_isRetried() {
    StoreUrl dead =
        StoreUrl.parse("nats://127.0.0.1:" + NatsTestServer.freePort() + "?sync_interval=always");
    StoreException e = assertThrows(StoreException.class, () -> NatsEngine.open(dead));
    assertFalse(e instanceof StoreRefusedException, e.getMessage());
    assertTrue(e.getMessage().contains("does not answer"), e.getMessage());
  }

  @Test
  void serverWithoutJetStream_isRefused(@TempDir Path folder) {
    try (NatsTestServer server = NatsTestServer.start(folder)) {
      assertRefused("without JetStream", server.url("?sync_interval=always"));
    }
  }

  @Test
  void serverOfSmallMessages_isRefused(@TempDir Path folder) {
    try (NatsTestServer server =
        NatsTestServer.start(folder, NatsTestServer.DURABLE, "max_payload: 65536")) {
      assertRefused("accepts messages of up to 65536 bytes", server.url("?sync_interval=always"));
    }
  }

  @ParameterizedTest
  @CsvSource({"2.9.10", "2.10.27", "1.4.1", "unknown"})
  void oldServer_isRefused(String version) {
    try (OldNatsServer old = new OldNatsServer(version)) {
      assertRefused(
          "nats-server " + version,
          StoreUrl.parse("nats://" + old.address() + "?sync_interval=always"));
    }
  }

  @Test
  void records_areRefused() {
    try (NatsEngine engine = NatsEngine.open(durable().url("?sync_interval=always"))) {
      CollectionShape shape =
          new CollectionShape("customers", "id", new TreeSet<>(Set.of("email")));
      assertThrows(StoreRefusedException.class, () -> engine.records(shape));
    }
  }

  @Test
  void streamOfAnotherFormatOrOwner_isRefused() {
    try (NatsKvFixture fixture = openFixture()) {
      fixture.runAsClient(it -> {
        for (String name : List.of("newer", "foreign")) {
          it.jetStreamManagement()
              .addStream(
                  StreamConfiguration.builder()
                      .name("KV_" + fixture.namespace() + "-" + name)
                      .subjects("$KV." + fixture.namespace() + "-" + name + ".>")
                      .metadata(name.equals("newer") ? Map.of("keyfleet-format", "2") : Map.of())
                      .build());
        }
      });
      Bucket newer = new Bucket.Lasting("newer");
      Bucket foreign = new Bucket.Lasting("foreign");
      assertTrue(
          refusalMessage(() -> fixture.kv().get(newer, A))
              .contains("format 2; this Keyfleet supports format 1"));
      assertTrue(refusalMessage(() -> fixture.kv().get(foreign, A)).contains("format none"));
    }
  }

  @Test
  void namespacesWithOneStreamName_areSeparate() {
    try (NatsEngine one = NatsEngine.open(durable().url("/x?sync_interval=always"));
        NatsEngine other = NatsEngine.open(durable().url("?sync_interval=always"))) {
      assertWritten(one.kv().put(new Bucket.Lasting("y"), A, Value.of("x's")));
      assertTrue(
          refusalMessage(() -> other.kv().get(new Bucket.Lasting("x-y"), A))
              .contains("belongs to nats://HOST/x"));
    }
  }

  @Test
  void lastingBucketThatExpires_isABug() {
    try (NatsKvFixture fixture = openFixture()) {
      fixture.kv().put(HEARTBEATS, A, Value.of("x"));
      assertThrows(
          IllegalArgumentException.class,
          () -> {
            try (NatsEngine again =
                NatsEngine.open(
                    durable().url("/" + fixture.namespace() + "?sync_interval=always"))) {
              again.kv().get(new Bucket.Lasting("beats"), A);
            }
          });
    }
  }

  @Test
  void otherClientsOfTheBucket_readAndWriteIt() {
    try (NatsKvFixture fixture = openFixture()) {
      fixture.kv().put(THINGS, A, Value.of("ours"));
      fixture.runAsClient(it -> {
        KeyValueEntry entry = it.keyValue(fixture.namespace() + "-things").get("a");
        assertEquals("ours", entry.getValueAsString());
        it.keyValue(fixture.namespace() + "-things").put("b", "theirs");
        it.keyValue(fixture.namespace() + "-things").purge("a");
      });
      assertEquals("theirs", fixture.kv().get(THINGS, new Key("b")).orElseThrow().value().text());
      assertTrue(fixture.kv().get(THINGS, A).isEmpty(), "a purged key is there");
      assertWritten(fixture.kv().create(THINGS, A, Value.of("again")));
    }
  }

  @Test
  void deletedKey_leavesAMarkerThatExpires() {
    try (NatsKvFixture fixture = openFixture()) {
      Revision revision = assertWritten(fixture.kv().put(THINGS, A, Value.of("x")));
      assertEquals(new Deleted(), fixture.kv().delete(THINGS, A, revision));
      fixture.runAsClient(it -> {
        MessageInfo marker =
            it.jetStreamManagement()
                .getLastMessage(
                    "KV_" + fixture.namespace() + "-things",
                    "$KV." + fixture.namespace() + "-things.a");
        Headers headers = assertInstanceOf(Headers.class, marker.getHeaders());
        assertEquals(List.of("600s"), headers.get("Nats-TTL"));
      });
    }
  }

  @Test
  void racedCreateOverMarker_isWonOnce() throws InterruptedException {
    try (NatsKvFixture fixture = openFixture();
        ExecutorService racers = Executors.newFixedThreadPool(8)) {
      for (int round = 0; round < 50; round++) {
        List<Future<WriteResult>> results =
            racers.invokeAll(
                IntStream.range(0, 8)
                    .<Callable<WriteResult>>mapToObj(
                        it -> () -> fixture.kv().create(THINGS, A, Value.of("racer " + it)))
                    .toList());
        List<Revision> winners = winners(results);
        assertEquals(1, winners.size(), () -> "winners " + winners);
        assertEquals(new Deleted(), fixture.kv().delete(THINGS, A, winners.getFirst()));
      }
    }
  }

  private static List<Revision> winners(List<Future<WriteResult>> results) {
    return results.stream()
        .map(Future::resultNow)
        .flatMap(it -> it instanceof Written(var revision) ? Stream.of(revision) : Stream.empty())
        .toList();
  }

  private static NatsKvFixture openFixture() {
    return new NatsKvFixture(
        durable().address(), "?sync_interval=always", UnaryOperator.identity());
  }

  private static StoreCheck.Level worstLevel(StoreUrl url) {
    try (NatsEngine engine = NatsEngine.open(url)) {
      return engine.storeChecks().stream()
          .map(StoreCheck::level)
          .max(StoreCheck.Level::compareTo)
          .orElseThrow();
    }
  }

  private static StoreRefusedException assertRefused(String message, StoreUrl url) {
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> NatsEngine.open(url).close());
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertFalse(e.remedy().isEmpty(), e.getMessage());
    return e;
  }

  private static String refusalMessage(Executable call) {
    return assertThrows(StoreRefusedException.class, call).getMessage();
  }

  private static NatsTestServer durable() {
    return assertInstanceOf(NatsTestServer.class, durable);
  }

  private static NatsTestServer unsynced() {
    return assertInstanceOf(NatsTestServer.class, unsynced);
  }
}
