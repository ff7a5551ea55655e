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
  private final AtomicReference<Announcement> announced;
  private volatile long announcedAt;

  /// Throws [PluginException] if the file cannot be read.
  public AnnouncementStore(
      PluginSnapshotFile file, Consumer<PluginEvent> events, LongSupplier clock) {
    this.file = file;
    this.events = events;
    this.clock = clock;
    this.announcedAt = clock.getAsLong();
    PluginSnapshot last = file.read().orElse(null);
    this.announced =
        new AtomicReference<>(
            last == null
                ? Announcement.nothing(NO_KEYSTORE)
                : Announcement.of(last, new NoWriteKey(CallRefusal.notNow(NOT_READY))));
    if (last != null) {
      events.accept(
          new PluginEvent.StartedFromSnapshot(last.keyId().hash(), last.keystore().epoch()));
    }
  }

  @Override
  public Announcement get() {
    return announced.get();
  }

  @Nullable PluginSnapshot snapshot() {
    return get().snapshot();
  }

  /// When the present key_id was announced, on the ledger's clock.
  public long announcedAt() {
    return announcedAt;
  }

  /// Takes over a keystore. What is announced stays.
  void know(Keystore keystore) {
    PluginSnapshot before = snapshot();
    PluginSnapshot next =
        before == null
            ? new PluginSnapshot(keystore, keystore.activations().getLast())
            : before.knowing(keystore);
    file.write(next);
    WriteKey writing =
        before == null ? new NoWriteKey(CallRefusal.notNow(NOT_READY)) : get().writing();
    announced.set(Announcement.of(next, writing));
  }

  /// Values are sealed in this way from here on, under the key that `activation` names.
  void write(PluginSnapshot known, Activation activation, WriteKey writing) {
    PluginSnapshot next = known.announcing(activation);
    if (!next.equals(snapshot())) {
      file.write(next);
    }
    KmsKeyId before = keyId(get().writing());
    announced.set(Announcement.of(next, writing));
    if (!next.keyId().equals(before)) {
      announcedAt = clock.getAsLong();
      events.accept(
          new PluginEvent.KeyAnnounced(
              next.keyId().hash(), activation.version().toString(), activation.epoch()));
    }
  }

  /// Status and Encrypt refuse from here on.
  void stop(CallRefusal why) {
    Announcement now = get();
    if (!now.writing().equals(new NoWriteKey(why))) {
      announced.set(now.writing(new NoWriteKey(why)));
      events.accept(new PluginEvent.WritesStopped(why.sentence()));
    }
  }

  static @Nullable KmsKeyId keyId(WriteKey writing) {
    return switch (writing) {
      case LocalWriteKey(KmsKeyId keyId, _) -> keyId;
      case RemoteWriteKey(KmsKeyId keyId, _) -> keyId;
      case NoWriteKey _ -> null;
    };
  }
}
