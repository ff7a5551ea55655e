package keyfleet.kms.state;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.state.Announcement.LocalWriteKey;
import keyfleet.kms.state.Announcement.NoWriteKey;
import keyfleet.kms.state.Announcement.RemoteWriteKey;
import keyfleet.kms.state.Announcement.WriteKey;
import keyfleet.member.process.ProcessEvent;
import org.jspecify.annotations.Nullable;

/// Holds the plugin's announcement. It is the only place that changes the announcement: first on
/// the disk, then in memory. One thread changes it; any thread reads it.
public final class AnnouncementStore implements Supplier<Announcement> {
  private static final String NO_KEYSTORE =
      "this plugin knows no key yet: its store does not answer, or its keyring has no key";
  private static final String NOT_READY = "the plugin is still loading its keys";

  private final PluginSnapshotFile file;
  private final Consumer<ProcessEvent> events;
  private final LongSupplier clock;
  private final AtomicReference<Announcement> announcement;
  private volatile long announcedAtNanos;

  /// Throws [PluginException] if the file cannot be read.
  public AnnouncementStore(
      PluginSnapshotFile file, Consumer<ProcessEvent> events, LongSupplier clock) {
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
          ProcessEvent.info(
              "starting from the snapshot of epoch %d, key_id hash %s"
                  .formatted(last.keystore().epoch(), last.keyId().hash())));
    }
  }

  @Override
  public Announcement get() {
    return announcement.get();
  }

  @Nullable PluginSnapshot snapshot() {
    return get().snapshot();
  }

  /// When the current key_id was announced, on the plugin's clock.
  public long announcedAtNanos() {
    return announcedAtNanos;
  }

  /// Adopts a keystore. The announced key stays.
  void adoptKeystore(Keystore keystore) {
    PluginSnapshot before = snapshot();
    PluginSnapshot next =
        before == null
            ? new PluginSnapshot(keystore, keystore.activations().getLast())
            : before.withKeystore(keystore);
    file.write(next);
    WriteKey writeKey =
        before == null ? new NoWriteKey(CallRefusal.unavailable(NOT_READY)) : get().writeKey();
    announcement.set(Announcement.of(next, writeKey));
  }

  /// Announces the key_id of `activation`. From now on values are sealed under `writeKey`.
  void announce(PluginSnapshot snapshot, Activation activation, WriteKey writeKey) {
    PluginSnapshot next = snapshot.withAnnounced(activation);
    if (!next.equals(snapshot())) {
      file.write(next);
    }
    KmsKeyId before = keyId(get().writeKey());
    announcement.set(Announcement.of(next, writeKey));
    if (!next.keyId().equals(before)) {
      announcedAtNanos = clock.getAsLong();
      events.accept(
          ProcessEvent.info(
              "announces key_id hash %s, which is %s since epoch %d"
                  .formatted(next.keyId().hash(), activation.version(), activation.epoch())));
    }
  }

  /// Makes Status and Encrypt refuse from now on.
  void stopWrites(CallRefusal refusal) {
    Announcement now = get();
    if (!now.writeKey().equals(new NoWriteKey(refusal))) {
      announcement.set(now.withWriteKey(new NoWriteKey(refusal)));
      events.accept(ProcessEvent.warning("Status and Encrypt refuse: " + refusal.message()));
    }
  }

  static @Nullable KmsKeyId keyId(WriteKey writeKey) {
    return switch (writeKey) {
      case LocalWriteKey(KmsKeyId keyId, _) -> keyId;
      case RemoteWriteKey(KmsKeyId keyId, _) -> keyId;
      case NoWriteKey _ -> null;
    };
  }
}
