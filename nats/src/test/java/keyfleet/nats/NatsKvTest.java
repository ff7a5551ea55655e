package keyfleet.nats;

import java.nio.file.Path;
import java.util.function.UnaryOperator;
import keyfleet.store.KvContract;
import keyfleet.store.KvFixture;
import keyfleet.store.KvRaceContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/// The contract suites on one server that syncs each write.
class NatsKvTest implements KvContract, KvRaceContract {
  private static @Nullable NatsTestServer server;

  @BeforeAll
  static void start(@TempDir(factory = InMemoryTempDir.class) Path folder) {
    server = NatsTestServer.start(folder, NatsTestServer.DURABLE);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /// More than the server lists in one answer.
  @Override
  public int listSize() {
    return 101_000;
  }

  @Override
  public KvFixture fixture() {
    NatsTestServer running = server;
    if (running == null) {
      throw new IllegalStateException("no server");
    }
    return new NatsKvFixture(
        running.address(), "?monitor=" + running.monitor(), UnaryOperator.identity());
  }
}
