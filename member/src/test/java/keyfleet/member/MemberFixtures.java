package keyfleet.member;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Course;
import keyfleet.keyring.RotationJob.Kind;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionEntry.Trust;
import keyfleet.keyring.VersionState;
import keyfleet.store.CollectionShape;

/// Values that the tests of this module share.
public final class MemberFixtures {
  public static final SecureRandom RANDOM = new SecureRandom();

  public static final CollectionShape ORDERS =
      new CollectionShape("orders", "id", new TreeSet<>(Set.of("card", "name")));

  private MemberFixtures() {}

  public static KekVersion v(int number) {
    return new KekVersion(number);
  }

  /// A sentinel of valid form that no key opens. Always the same bytes.
  public static Sentinel sentinel(int version) {
    byte[] bytes =
        ByteBuffer.allocate(93)
            .putInt(0xEB4B4645)
            .put((byte) 1)
            .put((byte) 1)
            .putInt(version)
            .putShort((short) 1)
            .array();
    return new Sentinel(v(version), Envelope.parse(bytes).orElseThrow());
  }

  public static RotationJob job() {
    return job(new AnyProcesses());
  }

  public static RotationJob job(ExpectedProcesses expected) {
    return new RotationJob(
        new RotationId("r-1"), Kind.ROTATION, v(1), v(2), expected, Course.FORWARD, "worker-1");
  }

  public static Keystore keystore(Rotation rotation) {
    var versions = new TreeMap<KekVersion, VersionEntry>();
    versions.put(
        v(1),
        new VersionEntry(
            "env", sentinel(1), VersionState.ACTIVE, Trust.COMPROMISED, new TreeSet<>()));
    versions.put(v(2), new VersionEntry("file", sentinel(2), VersionState.STAGED));
    return new Keystore(
        new Keystore.Identity("ring-id", 3, Keystore.Use.RECORDS),
        7,
        v(1),
        new TreeSet<>(Set.of(v(1), v(2))),
        Timings.DEFAULT,
        rotation,
        versions,
        List.of(new Keystore.Activation(v(1), 7)));
  }

  public static ProcessInfo origin(String instance, String run) {
    Host host = new Host("host-1", 4711, "", Instant.parse("2026-11-16T12:00:00Z"));
    return new ProcessInfo(instance, run, "api", "0.1.0", host);
  }
}
