package keyfleet.kms.state;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.PluginEvent;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.Announcement.WriteKey;
import org.jspecify.annotations.Nullable;

/// The one place where it changes what a plugin announces: first on the disk, then in memory. One
/// thread changes it, any thread reads it.
public final class AnnouncementStore implements Supplier<Announcement> {
  private static final String NO_KEYSTORE =
      "this plugin knows no key yet: its store does not answer, or its keyring has none";
  private static final String NOT_READY = "the keys are being loaded";

  private final PluginSnapshotFile file;
  private final Consumer<PluginEvent> events;
  private final LongSupplier clock;
  private final AtomicReference<Announcement> announcement;
  private volatile long announcedAtNanos;

  /// Throws [PluginException] if the file cannot be read.
  public AnnouncementStore(
      PluginSnapshotFile file, Consumer<PluginEvent> events, LongSupplier clock) {
    this.file = file;
    this.events = events;
    this.clock = clock;
    this.announcedAtNanos = clock.getAsLong();
    PluginSnapshot last = file.read().orElse(null);
    this.announcement =
        new AtomicReference<>(
            last == null
                ? Announcement.nothing(NO_KEYSTORE)
                : Announcement.of(last, new NoWriteKey(CallRefusal.unavailable(NOT_READY))));
    if (last != null) {
      events.accept(
          new PluginEvent.StartedFromSnapshot(last.kmsKeyId().hash(), last.keystore().epoch()));
    }
  }

  @Override
  public Announcement get() {
    return announcement.get();
  }

  @Nullable PluginSnapshot pluginSnapshot() {
    return get().pluginSnapshot();
  }

  /// When the present key_id was announced, on the ledger's clock.
  public long announcedAtNanos() {
    return announcedAtNanos;
  }

  /// Takes over a keystore. What is announced stays.
  void adoptKeystore(Keystore keystore) {
    PluginSnapshot before = pluginSnapshot();
    PluginSnapshot next =
        before == null
            ? new PluginSnapshot(keystore, keystore.activations().getLast())
            : before.withKeystore(keystore);
    file.write(next);
    WriteKey writeKey =
        before == null ? new NoWriteKey(CallRefusal.unavailable(NOT_READY)) : get().writeKey();
    announcement.set(Announcement.of(next, writeKey));
  }

  /// Values are sealed in this way from here on, under the key that `activation` names.
  void announce(PluginSnapshot known, Activation activation, WriteKey writeKey) {
    PluginSnapshot next = known.withAnnounced(activation);
    if (!next.equals(pluginSnapshot())) {
      file.write(next);
    }
    KmsKeyId before = keyId(get().writeKey());
    announcement.set(Announcement.of(next, writeKey));
    if (!next.kmsKeyId().equals(before)) {
      announcedAtNanos = clock.getAsLong();
      events.accept(
          new PluginEvent.KeyAnnounced(
              next.kmsKeyId().hash(), activation.version().toString(), activation.epoch()));
    }
  }

  /// Status and Encrypt refuse from here on.
  void stopWrites(CallRefusal why) {
    Announcement now = get();
    if (!now.writeKey().equals(new NoWriteKey(why))) {
      announcement.set(now.writing(new NoWriteKey(why)));
      events.accept(new PluginEvent.WritesStopped(why.message()));
    }
  }

  static @Nullable KmsKeyId keyId(WriteKey writeKey) {
    return switch (writeKey) {
      case LocalWriteKey(KmsKeyId kmsKeyId, _) -> kmsKeyId;
      case RemoteWriteKey(KmsKeyId kmsKeyId, _) -> kmsKeyId;
      case NoWriteKey _ -> null;
    };
  }
}
