package keyfleet.kms;

import java.security.SecureRandom;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Decision;
import keyfleet.keyring.Event;
import keyfleet.keyring.KeyVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;

/// A keystore that goes through what an operator and a driver would do to it.
final class TestRing {
  private final TestRemote remote;
  private final SecureRandom random = new SecureRandom();
  private Keystore keystore;
  private int rotations;

  TestRing(TestRemote remote) {
    this(remote, Keystore.Use.KMS);
  }

  TestRing(TestRemote remote, Keystore.Use use) {
    this.remote = remote;
    this.keystore =
        Keystore.bootstrap(
            new Keystore.Identity("ring-of-the-test", 1, use), version(1), Timings.DEFAULT);
  }

  Keystore keystore() {
    return keystore;
  }

  private KeyVersion version(int number) {
    EnvelopeCipher cipher = new EnvelopeCipher(remote.load(), random);
    Sentinel sentinel = Sentinel.create(cipher, new KekVersion(number), random).orElseThrow();
    return new KeyVersion("file", sentinel, VersionState.ANNOUNCED);
  }

  Keystore announce(int number) {
    return become(keystore.announce(new KekVersion(number), version(number)));
  }

  /// As far as the version being staged.
  Keystore stage(int number) {
    RotationId id = new RotationId("r" + ++rotations);
    return become(
        keystore.decide(
            new Event.StartOrdered(id, keystore.active(), new KekVersion(number), "driver")));
  }

  /// The flip: the staged version is active.
  Keystore flip() {
    become(keystore.decide(new Event.GatePassed(of())));
    become(keystore.decide(new Event.Opened(of())));
    return become(keystore.decide(new Event.PassEnded(of())));
  }

  /// The course turns.
  Keystore abort() {
    return become(keystore.decide(new Event.AbortOrdered()));
  }

  Keystore complete() {
    become(keystore.decide(new Event.Settled(of())));
    become(keystore.decide(new Event.Fenced(of())));
    become(keystore.decide(new Event.SweepEnded(of())));
    return become(keystore.decide(new Event.Proved(of())));
  }

  private Event.Of of() {
    RotationId id = Rotation.underWay(keystore.rotation()).orElseThrow().id();
    return new Event.Of(id, keystore.epoch());
  }

  private Keystore become(Decision decision) {
    if (!(decision instanceof Decision.Next(Keystore next))) {
      throw new IllegalStateException("the keystore does not go on: " + decision);
    }
    keystore = next;
    return next;
  }
}
