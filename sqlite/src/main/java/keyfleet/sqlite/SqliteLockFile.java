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
import org.jspecify.annotations.Nullable;

/// The lock file at which the writers of both databases of a store queue. A process loses all its
/// locks on a file when it closes any channel to it, so the engines of this process share one
/// channel.
final class SqliteLockFile implements AutoCloseable {
  private static final Map<Path, SqliteLockFile> OPEN = new HashMap<>();

  private final Path path;
  private final FileChannel channel;
  private final SqliteWriterQueue state;
  private final SqliteWriterQueue beats;
  private int users;

  private SqliteLockFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
    this.state = new SqliteWriterQueue(path, channel, 0, SqliteWriterQueue.LIMIT);
    this.beats =
        new SqliteWriterQueue(path, channel, SqliteWriterQueue.BYTES, SqliteWriterQueue.LIMIT);
  }

  static SqliteLockFile open(Path path) {
    synchronized (OPEN) {
      @Nullable SqliteLockFile shared = OPEN.get(path);
      if (shared == null) {
        shared = new SqliteLockFile(path, channel(path));
        OPEN.put(path, shared);
      }
      shared.users++;
      return shared;
    }
  }

  SqliteWriterQueue state() {
    return state;
  }

  SqliteWriterQueue beats() {
    return beats;
  }

  @Override
  public void close() {
    synchronized (OPEN) {
      users--;
      if (users == 0) {
        OPEN.remove(path);
        state.close();
        beats.close();
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

  private static FileChannel channel(Path path) {
    try {
      return FileChannel.open(path, Set.of(CREATE, WRITE), SqlitePaths.OWNER_ONLY);
    } catch (IOException e) {
      throw SqlitePaths.noEntry(
          "the lock file " + path + " cannot be written",
          "chmod u+w " + path + ", as the user that Keyfleet runs as",
          e);
    }
  }
}
