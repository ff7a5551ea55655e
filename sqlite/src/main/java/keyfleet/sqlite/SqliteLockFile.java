package keyfleet.sqlite;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import org.jspecify.annotations.Nullable;

/// The lock file at which the writers of both databases of a store queue. A process loses all its
/// locks on a file when it closes any channel to it, so the engines of this process share one
/// channel.
final class SqliteLockFile implements AutoCloseable {
  private static final Map<Path, SqliteLockFile> OPEN = new HashMap<>();

  private final Path path;
  private final FileChannel channel;
  private final SqliteWriterQueue stateQueue;
  private final SqliteWriterQueue heartbeatQueue;
  private int openCount;

  private SqliteLockFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
    this.stateQueue = new SqliteWriterQueue(path, channel, 0, SqliteWriterQueue.LIMIT);
    this.heartbeatQueue =
        new SqliteWriterQueue(path, channel, SqliteWriterQueue.BYTES, SqliteWriterQueue.LIMIT);
  }

  static SqliteLockFile open(Path path) {
    synchronized (OPEN) {
      @Nullable SqliteLockFile shared = OPEN.get(path);
      if (shared == null) {
        shared = new SqliteLockFile(path, openChannel(path));
        OPEN.put(path, shared);
      }
      shared.openCount++;
      return shared;
    }
  }

  SqliteWriterQueue stateQueue() {
    return stateQueue;
  }

  SqliteWriterQueue heartbeatQueue() {
    return heartbeatQueue;
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      openCount--;
      if (openCount == 0) {
        OPEN.remove(path);
        stateQueue.close();
        heartbeatQueue.close();
        closeChannel();
      }
    }
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreException("the lock file " + path + " cannot be closed", e);
    }
  }

  private static FileChannel openChannel(Path path) {
    try {
      return FileChannel.open(path, Set.of(CREATE, WRITE), SqlitePaths.OWNER_ONLY);
    } catch (IOException e) {
      throw StoreRefusedException.noAccess(
          "the lock file " + path + " cannot be written",
          "chmod u+w " + path + ", as the user that Keyfleet runs as",
          e);
    }
  }
}
