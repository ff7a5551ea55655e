package keyfleet.kms;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Activation;
import keyfleet.kms.Announced.Locally;
import keyfleet.kms.Announced.Remotely;
import keyfleet.kms.Announced.Stopped;
import keyfleet.kms.Announced.Writing;
import org.jspecify.annotations.Nullable;

/// The one place where it changes what a plugin announces: first on the disk, then in memory. One
/// thread changes it, any thread reads it.
final class Ledger implements Supplier<Announced> {
  private static final String NO_KEYSTORE =
      "this plugin knows no key yet: its store does not answer, or its keyring has none";
  private static final String NOT_READY = "the keys are being loaded";

  private final SnapshotFile file;
  private final Consumer<PluginEvent> events;
  private final LongSupplier clock;
  private final AtomicReference<Announced> announced;
  private volatile long announcedAt;

  /// Throws [PluginException] if the file cannot be read.
  Ledger(SnapshotFile file, Consumer<PluginEvent> events, LongSupplier clock) {
    this.file = file;
    this.events = events;
    this.clock = clock;
    this.announcedAt = clock.getAsLong();
    Snapshot last = file.read().orElse(null);
    this.announced =
        new AtomicReference<>(
            last == null
                ? Announced.nothing(NO_KEYSTORE)
                : Announced.of(last, new Stopped(Refusal.notNow(NOT_READY))));
    if (last != null) {
      events.accept(
          new PluginEvent.StartedFromSnapshot(last.keyId().hash(), last.keystore().epoch()));
    }
  }

  @Override
  public Announced get() {
    return announced.get();
  }

  @Nullable Snapshot snapshot() {
    return get().snapshot();
  }

  /// When the present key_id was announced, on the ledger's clock.
  long announcedAt() {
    return announcedAt;
  }

  /// Takes over a keystore. What is announced stays.
  void know(Keystore keystore) {
    Snapshot before = snapshot();
    Snapshot next =
        before == null
            ? new Snapshot(keystore, keystore.activations().getLast())
            : before.knowing(keystore);
    file.write(next);
    Writing writing = before == null ? new Stopped(Refusal.notNow(NOT_READY)) : get().writing();
    announced.set(Announced.of(next, writing));
  }

  /// Values are sealed in this way from here on, under the key that `activation` names.
  void write(Snapshot known, Activation activation, Writing writing) {
    Snapshot next = known.announcing(activation);
    if (!next.equals(snapshot())) {
      file.write(next);
    }
    KeyId before = keyId(get().writing());
    announced.set(Announced.of(next, writing));
    if (!next.keyId().equals(before)) {
      announcedAt = clock.getAsLong();
      events.accept(
          new PluginEvent.Announces(
              next.keyId().hash(), activation.version().toString(), activation.epoch()));
    }
  }

  /// Status and Encrypt refuse from here on.
  void stop(Refusal why) {
    Announced now = get();
    if (!now.writing().equals(new Stopped(why))) {
      announced.set(now.writing(new Stopped(why)));
      events.accept(new PluginEvent.StopsWriting(why.sentence()));
    }
  }

  static @Nullable KeyId keyId(Writing writing) {
    return switch (writing) {
      case Locally(KeyId keyId, _) -> keyId;
      case Remotely(KeyId keyId, _) -> keyId;
      case Stopped _ -> null;
    };
  }
}
