package keyfleet.kms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.kms.grpc.SocketPath;
import keyfleet.kms.grpc.SocketTransport;
import keyfleet.kms.grpc.UnixSocketServer;
import keyfleet.kms.localkek.KeyHierarchy;
import keyfleet.kms.localkek.LocalKekLimits;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;
import keyfleet.kms.v2.EncryptResponse;
import keyfleet.kms.v2.KeyManagementServiceGrpc;
import keyfleet.kms.v2.KeyManagementServiceGrpc.KeyManagementServiceBlockingStub;
import keyfleet.kms.v2.StatusRequest;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A whole plugin with its threads. A client like an API server's calls it through its socket.
final class KmsPluginTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;
  private final FakeRemoteProvider remote = new FakeRemoteProvider(1, 2);
  private final TestKeyring keyring = new TestKeyring(remote);
  private final FakeKv kv = new FakeKv(new FakeStoreClock());
  private final AtomicBoolean storeDown = new AtomicBoolean();
  private final List<ProcessEvent> events = Collections.synchronizedList(new ArrayList<>());
  private final List<AutoCloseable> closeables = new ArrayList<>();
  private int nonces;

  @BeforeEach
  void restrictFolder() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    keystoreStore().create(keyring.keystore());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : closeables.reversed()) {
      closeable.close();
    }
  }

  private KeystoreStore keystoreStore() {
    return new KeystoreStore(kv, FakeRemoteProvider.KEYRING, () -> "n" + nonces++);
  }

  private void store(Keystore keystore) {
    keystoreStore().replace(keystoreStore().read().orElseThrow(), keystore);
  }

  private Path socket() {
    return folder.resolve("kms.sock");
  }

  private Kv openKv() {
    if (storeDown.get()) {
      throw new StoreException("the test's store is down");
    }
    return kv;
  }

  private KmsPlugin newPlugin() {
    KmsPlugin.Settings settings =
        new KmsPlugin.Settings(
            FakeRemoteProvider.KEYRING,
            SocketPath.parse("unix://" + socket()),
            "blue",
            folder.resolve("data"),
            KeyHierarchy.ON,
            LocalKekLimits.DEFAULT,
            Duration.ofSeconds(30),
            CallLog.OFF,
            ProcessSettings.of(Map.of("KEYFLEET_INSTANCE", "plugin-1"), LocalProcess.current()),
            "test");
    return new KmsPlugin(
        settings,
        this::openKv,
        List.of(remote),
        new PluginContext(System::nanoTime, System::nanoTime, events::add));
  }

  private KmsPlugin startPlugin() {
    KmsPlugin plugin = newPlugin();
    closeables.add(plugin);
    plugin.start();
    return plugin;
  }

  private KmsPlugin startHealthyPlugin() {
    KmsPlugin plugin = startPlugin();
    await("healthy", () -> plugin.health().isHealthy());
    return plugin;
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "timed out waiting for: " + what + ", " + events);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private KeyManagementServiceBlockingStub client(String authority) {
    var loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(new DomainSocketAddress(socket().toString()))
            .channelType(EpollDomainSocketChannel.class)
            .eventLoopGroup(loops)
            .usePlaintext();
    InternalNettyChannelBuilder.disableCheckAuthority(builder);
    ManagedChannel channel = builder.overrideAuthority(authority).build();
    closeables.add(channel::shutdownNow);
    closeables.add(() -> {
      var _ = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    });
    return KeyManagementServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private KeyManagementServiceBlockingStub client() {
    return client("localhost");
  }

  private static EncryptResponse encrypt(KeyManagementServiceBlockingStub client, String text) {
    return client.encrypt(
        EncryptRequest.newBuilder()
            .setPlaintext(ByteString.copyFromUtf8(text))
            .setUid("uid-1")
            .build());
  }

  private static String decrypt(KeyManagementServiceBlockingStub client, EncryptResponse stored) {
    return client
        .decrypt(
            DecryptRequest.newBuilder()
                .setCiphertext(stored.getCiphertext())
                .setKeyId(stored.getKeyId())
                .putAllAnnotations(stored.getAnnotationsMap())
                .setUid("uid-2")
                .build())
        .getPlaintext()
        .toStringUtf8();
  }

  /// API servers before 1.32 send the path of the socket.
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "/run/keyfleet/kms.sock", "%2Frun%2Fkms.sock", "@kms"})
  void client_isServedWhateverItsAuthority(String authority) {
    startHealthyPlugin();
    var client = client(authority);
    assertEquals("ok", client.status(StatusRequest.getDefaultInstance()).getHealthz());
    assertEquals("secret", decrypt(client, encrypt(client, "secret")));
  }

  @Test
  void socket_isOnlyForTheOwner_andIsRemovedAtAGracefulStop() throws IOException {
    KmsPlugin plugin = startHealthyPlugin();
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())));
    plugin.close();
    assertFalse(Files.exists(socket()), "the socket is still there");
  }

  @Test
  void secondPlugin_isRefusedAndTheFirstKeepsServing() {
    startHealthyPlugin();
    var client = client();
    EncryptResponse stored = encrypt(client, "first");
    assertThrows(PluginException.class, () -> newPlugin().start());
    assertTrue(
        events.stream().noneMatch(it -> it.message().startsWith("cannot stop cleanly")),
        events::toString);
    assertEquals("first", decrypt(client, stored));
    assertEquals("first", decrypt(client(), stored));
  }

  @Test
  void restart_withTheStoreDown_keepsReadingAndWriting() {
    KmsPlugin first = startHealthyPlugin();
    EncryptResponse stored = encrypt(client(), "kept");
    first.close();
    storeDown.set(true);
    startHealthyPlugin();
    var client = client();
    assertEquals("kept", decrypt(client, stored));
    assertEquals(stored.getKeyId(), encrypt(client, "more").getKeyId());
  }

  @Test
  void neitherStoreNorSnapshot_isUnavailableUntilTheStoreAnswers() {
    storeDown.set(true);
    KmsPlugin plugin = startPlugin();
    var refusal =
        assertThrows(
            StatusRuntimeException.class,
            () -> client().status(StatusRequest.getDefaultInstance()));
    assertEquals(Status.Code.UNAVAILABLE, refusal.getStatus().getCode());
    assertFalse(plugin.health().isHealthy(), plugin.health()::message);
    storeDown.set(false);
    await("healthy", () -> plugin.health().isHealthy());
    assertEquals("x", decrypt(client(), encrypt(client(), "x")));
  }

  @Test
  void flipInTheStore_reachesStatusByItself() {
    startHealthyPlugin();
    var client = client();
    EncryptResponse old = encrypt(client, "old");
    store(keyring.announce(2));
    store(keyring.stage(2));
    assertEquals(old.getKeyId(), client.status(StatusRequest.getDefaultInstance()).getKeyId());
    store(keyring.flip());
    await(
        "a new key_id",
        () -> !client.status(StatusRequest.getDefaultInstance()).getKeyId().equals(old.getKeyId()));
    assertEquals("old", decrypt(client, old));
    assertEquals(2, keyring.keystore().active().number());
    assertEquals(new KekVersion(2), keyring.keystore().active());
  }

  @Test
  void plugin_registersItsCluster_beforeItServes() {
    startHealthyPlugin();
    assertEquals(
        List.of(CollectionRegistration.ofCluster(FakeRemoteProvider.KEYRING, "blue")),
        new CollectionRegistry(kv, () -> "n").registrations(FakeRemoteProvider.KEYRING));
  }

  @Test
  void requestTooLongForAnyCall_isRefused() {
    startHealthyPlugin();
    var refusal =
        assertThrows(StatusRuntimeException.class, () -> encrypt(client(), "x".repeat(1_000_000)));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refusal.getStatus().getCode());
  }

  @ParameterizedTest
  @EnumSource
  void transport_servesItsOwnUser(SocketTransport transport) {
    UnixSocketServer unixSocketServer =
        UnixSocketServer.start(
            SocketPath.parse("unix://" + socket()),
            transport,
            new KeyManagementServiceGrpc.KeyManagementServiceImplBase() {}.bindService(),
            events::add);
    closeables.add(unixSocketServer);
    var refusal =
        assertThrows(
            StatusRuntimeException.class,
            () -> client().status(StatusRequest.getDefaultInstance()));
    assertEquals(Status.Code.UNIMPLEMENTED, refusal.getStatus().getCode());
    String listening = "serving KMS v2 at unix://" + socket() + " through ";
    assertEquals(1, events.size(), events::toString);
    assertTrue(events.getFirst().message().startsWith(listening), events::toString);
  }
}
