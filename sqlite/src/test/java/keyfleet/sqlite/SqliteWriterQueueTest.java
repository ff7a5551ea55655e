package keyfleet.sqlite;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import keyfleet.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Waiting for the lock ends in time, whether a thread or a process holds it.
@Timeout(60)
class SqliteWriterQueueTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  @Test
  void threadThatWaitsTooLong_fails() throws IOException {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        FileChannel channel = channel(folder);
        SqliteWriterQueue queue = new SqliteWriterQueue(folder.file(), channel, 0, SHORT)) {
      try (SqliteWriterQueue.Turn _ = queue.awaitTurn()) {
        StoreException tooLong = awaitTurnInAnotherThread(queue);
        assertTrue(tooLong.getMessage().startsWith("threads of this process held "));
      }
      queue.awaitTurn().close();
    }
  }

  /// A waiter that gave up does not keep the lock when it is granted: the other process can take it
  /// again.
  @Test
  void processThatWaitsTooLong_fails() throws IOException {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteWriterProcess holder = SqliteWriterProcess.start(folder.url(), "holder", "hold");
        FileChannel channel = channel(folder);
        SqliteWriterQueue queue = new SqliteWriterQueue(folder.file(), channel, 0, SHORT)) {
      holder.awaitReady();
      holder.proceed();
      assertEquals(SqliteWriterMain.HELD, holder.readLine());
      for (int i = 0; i < 3; i++) {
        StoreException tooLong = assertThrows(StoreException.class, queue::awaitTurn);
        assertTrue(tooLong.getMessage().startsWith("other processes held "), tooLong::getMessage);
      }
      holder.proceed();
      assertEquals(SqliteWriterMain.FREE, holder.readLine());
      queue.awaitTurn().close();
      holder.proceed();
      assertEquals(SqliteWriterMain.HELD, holder.readLine());
    }
  }

  private static StoreException awaitTurnInAnotherThread(SqliteWriterQueue queue) {
    CompletableFuture<StoreException> ending = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(() -> ending.complete(assertThrows(StoreException.class, queue::awaitTurn)));
    return ending.orTimeout(20, TimeUnit.SECONDS).join();
  }

  private static FileChannel channel(SqliteTestFolder folder) throws IOException {
    return FileChannel.open(new SqlitePaths(folder.file()).lock(), CREATE, WRITE);
  }
}
