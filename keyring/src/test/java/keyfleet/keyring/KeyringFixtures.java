package keyfleet.keyring;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.Proof;
import keyfleet.crypto.ProofCache;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.Sentinel;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.RotationEvent.StartRequested;
import keyfleet.keyring.RotationJob.Kind;

/// Test data of this module: a keyring of three versions, with real keys.
final class KeyringFixtures {
  static final Instant NOW = Instant.parse("2026-11-16T12:00:00Z");
  static final RotationId FIRST = new RotationId("r-1");
  static final RotationId SECOND = new RotationId("r-2");
  static final int PROTOCOL = 1;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final EnvelopeCipher CIPHER =
      new EnvelopeCipher(
          KekSet.of(
              KeyringName.MAIN, IntStream.of(1, 2, 3).mapToObj(KeyringFixtures::kek).toList()),
          RANDOM);
  private static final Map<KekVersion, Sentinel> SENTINELS = sentinels();

  private KeyringFixtures() {}

  static KekVersion v(int number) {
    return new KekVersion(number);
  }

  private static SoftwareKek kek(int version) {
    return new SoftwareKek(v(version), SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM);
  }

  private static Map<KekVersion, Sentinel> sentinels() {
    Map<KekVersion, Sentinel> sentinels = new HashMap<>();
    for (int version : new int[] {1, 2, 3}) {
      sentinels.put(v(version), Sentinel.create(CIPHER, v(version), RANDOM).orElseThrow());
    }
    return sentinels;
  }

  private static Sentinel sentinel(int version) {
    Sentinel sentinel = SENTINELS.get(v(version));
    if (sentinel == null) {
      throw new IllegalArgumentException("no sentinel of v" + version);
    }
    return sentinel;
  }

  static VersionEntry versionEntry(int version) {
    return new VersionEntry("env", sentinel(version), VersionState.ANNOUNCED);
  }

  /// Version 1 active; 2 and 3 announced.
  static Keystore keystore() {
    return keystore(Keystore.Use.RECORDS);
  }

  static Keystore keystore(Keystore.Use use) {
    Keystore.Identity identity = new Keystore.Identity("id", 1, use);
    Keystore one = Keystore.bootstrap(identity, versionEntry(1), Timings.DEFAULT);
    return requireAccepted(
        requireAccepted(one.announce(v(2), versionEntry(2))).announce(v(3), versionEntry(3)));
  }

  static Keystore requireAccepted(KeystoreDecision decision) {
    return assertInstanceOf(Accepted.class, decision).keystore();
  }

  static Keystore after(Keystore keystore, List<RotationEvent> rotationEvents) {
    Keystore now = keystore;
    for (RotationEvent event : rotationEvents) {
      now = requireAccepted(now.decide(event));
    }
    return now;
  }

  static StartRequested startRequest(int from, int to) {
    return new StartRequested(FIRST, v(from), v(to), "worker-1");
  }

  static StartRequested startRequest(Kind kind, int from, int to) {
    return startRequest(FIRST, kind, from, to);
  }

  static StartRequested startRequest(RotationId id, Kind kind, int from, int to) {
    return new StartRequested(id, kind, v(from), v(to), new AnyProcesses(), "worker-1");
  }

  static StartRequested startRequestExpecting(ExpectedProcesses expected) {
    return new StartRequested(SECOND, Kind.ROTATION, v(1), v(2), expected, "worker-1");
  }

  static Heartbeat heartbeat(String instance, int secondsAgo, int... loaded) {
    return heartbeat(instance, secondsAgo, "env", loaded);
  }

  static Heartbeat heartbeat(String instance, int secondsAgo, String provider, int... loaded) {
    Map<KekVersion, LoadedVersion> loadedVersions = new HashMap<>();
    for (int version : loaded) {
      loadedVersions.put(
          v(version), new LoadedVersion(provider, new Proved(proof(instance, version))));
    }
    return new Heartbeat(
        new ProcessInfo(instance, "run-1", "worker", "0.1.0"),
        loadedVersions,
        v(1),
        PROTOCOL,
        1,
        NOW.minusSeconds(secondsAgo));
  }

  private static Proof proof(String instance, int version) {
    Sentinel.Claim claim = new Sentinel.Claim(instance, 1);
    return new ProofCache().prove(sentinel(version), CIPHER, claim).orElseThrow();
  }

  static Roster roster(Heartbeat... heartbeats) {
    return new Roster(List.of(heartbeats), NOW);
  }

  static ReadinessGate readinessGate(int target, KnownPlugin... knownPlugins) {
    return new ReadinessGate(
        keystore(),
        v(target),
        PROTOCOL,
        (claim, proof) -> sentinel(target).open(CIPHER).orElseThrow().isValid(claim, proof),
        List.of(knownPlugins));
  }
}
