package keyfleet.kms;

import java.security.SecureRandom;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;

/// A keystore with the steps that an operator and a driver take.
public final class TestKeyring {
  private final FakeRemoteProvider remote;
  private final SecureRandom random = new SecureRandom();
  private Keystore keystore;
  private int rotations;

  public TestKeyring(FakeRemoteProvider remote) {
    this(remote, Keystore.Use.KMS);
  }

  public TestKeyring(FakeRemoteProvider remote, Keystore.Use use) {
    this.remote = remote;
    this.keystore =
        Keystore.bootstrap(
            new Keystore.Identity("ring-of-the-test", 1, use), version(1), Timings.DEFAULT);
  }

  public Keystore keystore() {
    return keystore;
  }

  private VersionEntry version(int number) {
    EnvelopeCipher cipher = new EnvelopeCipher(remote.load(), random);
    Sentinel sentinel = Sentinel.create(cipher, new KekVersion(number), random).orElseThrow();
    return new VersionEntry("file", sentinel, VersionState.ANNOUNCED);
  }

  public Keystore announce(int number) {
    return adopt(keystore.announce(new KekVersion(number), version(number)));
  }

  /// Starts a rotation up to the staged version.
  public Keystore stage(int number) {
    RotationId id = new RotationId("r" + ++rotations);
    return adopt(
        keystore.decide(
            new RotationEvent.StartRequested(
                id, keystore.active(), new KekVersion(number), "driver")));
  }

  /// Makes the staged version active.
  public Keystore flip() {
    return adopt(keystore.decide(new RotationEvent.GatePassed(rotationEpoch())));
  }

  /// Announces a version and makes it active.
  public Keystore announceAndFlip(int number) {
    announce(number);
    stage(number);
    return flip();
  }

  /// Aborts the rotation: it turns back.
  public Keystore abort() {
    return adopt(keystore.decide(new RotationEvent.AbortRequested()));
  }

  public Keystore complete() {
    adopt(keystore.decide(new RotationEvent.Settled(rotationEpoch())));
    return adopt(keystore.decide(new RotationEvent.Proved(rotationEpoch())));
  }

  private RotationEvent.RotationEpoch rotationEpoch() {
    RotationId id = Rotation.unfinishedJob(keystore.rotation()).orElseThrow().id();
    return new RotationEvent.RotationEpoch(id, keystore.epoch());
  }

  private Keystore adopt(KeystoreDecision decision) {
    if (!(decision instanceof KeystoreDecision.Accepted(Keystore next))) {
      throw new IllegalStateException("the keystore refused the change: " + decision);
    }
    keystore = next;
    return next;
  }
}
