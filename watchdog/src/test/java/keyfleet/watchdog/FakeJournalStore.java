package keyfleet.watchdog;

import java.util.Optional;
import keyfleet.rollout.node.JournalEntry;
import org.jspecify.annotations.Nullable;

/// A journal in memory. An entry is first written and then synced; a crash in between may lose it.
public final class FakeJournalStore implements JournalStore {
  /// What a crash does to an entry that was written and not synced.
  public enum Unsynced {
    LOST,
    KEPT
  }

  private final CrashInjector fuse;
  private @Nullable JournalEntry written;
  private @Nullable JournalEntry synced;
  private int saves;
  private boolean full;

  public FakeJournalStore(CrashInjector fuse) {
    this.fuse = fuse;
  }

  @Override
  public Optional<JournalEntry> load() {
    return Optional.ofNullable(synced);
  }

  @Override
  public void save(JournalEntry page) {
    fuse.pass("before save");
    if (full) {
      throw new LocalFailureException("no space left for the journal");
    }
    written = page;
    fuse.pass("before sync");
    synced = page;
    saves++;
    fuse.pass("after sync");
  }

  public void crashed(Unsynced fate) {
    if (fate == Unsynced.KEPT) {
      synced = written;
    } else {
      written = synced;
    }
  }

  /// From now on nothing can be saved.
  public void fill() {
    full = true;
  }

  public int saves() {
    return saves;
  }
}
