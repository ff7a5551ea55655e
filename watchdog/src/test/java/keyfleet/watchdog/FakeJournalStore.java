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

  private final CrashInjector crashes;
  private @Nullable JournalEntry written;
  private @Nullable JournalEntry synced;
  private int saves;
  private boolean full;

  public FakeJournalStore(CrashInjector crashes) {
    this.crashes = crashes;
  }

  @Override
  public Optional<JournalEntry> load() {
    return Optional.ofNullable(synced);
  }

  @Override
  public void save(JournalEntry entry) {
    crashes.reach("before save");
    if (full) {
      throw new LocalFailureException("no space left for the journal");
    }
    written = entry;
    crashes.reach("before sync");
    synced = entry;
    saves++;
    crashes.reach("after sync");
  }

  public void crash(Unsynced unsynced) {
    if (unsynced == Unsynced.KEPT) {
      synced = written;
    } else {
      written = synced;
    }
  }

  /// From now on nothing can be saved.
  public void setFull() {
    full = true;
  }

  public int saves() {
    return saves;
  }
}
