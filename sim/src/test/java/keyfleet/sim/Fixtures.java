package keyfleet.sim;

import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Keks;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.Sentinel;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.Decision.Next;
import keyfleet.keyring.Event;
import keyfleet.keyring.KeyVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionState;

/// The words in which the tests of this room speak: small fleets about to rotate from v1 to v2.
final class Fixtures {
  static final KekVersion V1 = new KekVersion(1);
  static final KekVersion V2 = new KekVersion(2);

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final EnvelopeCipher CIPHER =
      new EnvelopeCipher(Keks.of(KeyringName.MAIN, List.of(kek(V1), kek(V2))), RANDOM);

  /// Made once: worlds are compared, and sentinels are random.
  private static final Keystore KEYSTORE = keystore();

  /// How large a fleet is.
  record Size(int records, int writers, int workers) {}

  private Fixtures() {}

  private static SoftwareKek kek(KekVersion version) {
    return new SoftwareKek(version, SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM);
  }

  private static KeyVersion keyVersion(KekVersion version) {
    Sentinel sentinel = Sentinel.create(CIPHER, version, RANDOM).orElseThrow();
    return new KeyVersion("env", sentinel, VersionState.ANNOUNCED);
  }

  private static Keystore keystore() {
    var identity = new Keystore.Identity("id", 1, Keystore.Use.RECORDS);
    Keystore first = Keystore.bootstrap(identity, keyVersion(V1), Timings.DEFAULT);
    return ((Next) first.announce(V2, keyVersion(V2))).keystore();
  }

  static List<Event> rotate() {
    return List.of(new Event.StartOrdered(new RotationId("r"), V1, V2, "worker-0"));
  }

  static List<Event> rotateAndAbort() {
    return List.of(rotate().getFirst(), new Event.AbortOrdered());
  }

  static RotationWorld world(Size size, List<Event> orders, Laws laws) {
    return new RotationWorld(
        KEYSTORE,
        Collections.nCopies(size.records(), V1),
        new Fence(Set.of(V1), 1),
        IntStream.range(0, size.writers()).mapToObj(_ -> Writer.fresh(V1, 1)).toList(),
        Collections.nCopies(size.workers(), Worker.IDLE),
        Set.of(),
        orders,
        laws);
  }
}
