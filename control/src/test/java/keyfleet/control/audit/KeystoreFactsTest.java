package keyfleet.control.audit;

import static keyfleet.control.rotation.RotationTestFleet.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.reflect.RecordComponent;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.Sentinel;
import keyfleet.crypto.SoftwareKek;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import org.junit.jupiter.api.Test;

class KeystoreFactsTest {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final RotationJob JOB =
      job("r-1", RotationJob.Kind.ROTATION, new AnyProcesses(), RotationJob.Course.FORWARD, "w-1");
  private static final VersionEntry FIRST =
      new VersionEntry("env", sentinel(1), VersionState.ANNOUNCED);
  private static final Keystore KEYSTORE =
      Keystore.bootstrap(
          new Keystore.Identity("k", 1, Keystore.Use.RECORDS), FIRST, Timings.DEFAULT);

  private static RotationJob job(
      String id,
      RotationJob.Kind kind,
      ExpectedProcesses expectedProcesses,
      RotationJob.Course course,
      String driver) {
    boolean forward = course == RotationJob.Course.FORWARD;
    return new RotationJob(
        new RotationId(id),
        kind,
        v(forward ? 1 : 2),
        v(forward ? 2 : 1),
        expectedProcesses,
        course,
        driver);
  }

  private static Sentinel sentinel(int version) {
    SoftwareKek kek =
        new SoftwareKek(v(version), SecretBytes.random(SoftwareKek.BYTES, RANDOM), RANDOM);
    EnvelopeCipher cipher = new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(kek)), RANDOM);
    return Sentinel.create(cipher, v(version), RANDOM).orElseThrow();
  }

  private static Keystore with(Keystore.Identity identity, long epoch, Rotation rotation) {
    return new Keystore(
        identity,
        epoch,
        v(1),
        KEYSTORE.writable(),
        KEYSTORE.timings(),
        rotation,
        KEYSTORE.versions(),
        KEYSTORE.activations());
  }

  private static Keystore rotating(Rotation rotation) {
    return with(KEYSTORE.identity(), 1, rotation);
  }

  private static Keystore with(Timings timings, VersionEntry first, int... writable) {
    TreeSet<KekVersion> admitted = new TreeSet<>();
    Arrays.stream(writable).forEach(it -> admitted.add(v(it)));
    return new Keystore(
        KEYSTORE.identity(),
        1,
        v(1),
        admitted,
        timings,
        KEYSTORE.rotation(),
        new TreeMap<>(Map.of(v(1), first)),
        KEYSTORE.activations());
  }

  private static Keystore afterFlip() {
    VersionEntry old = new VersionEntry("env", FIRST.sentinel(), VersionState.DECRYPT_ONLY);
    VersionEntry next = new VersionEntry("file", sentinel(2), VersionState.ACTIVE);
    return new Keystore(
        KEYSTORE.identity(),
        2,
        v(2),
        new TreeSet<>(List.of(v(1), v(2))),
        KEYSTORE.timings(),
        new Rotation.Settling(JOB),
        new TreeMap<>(Map.of(v(1), old, v(2), next)),
        List.of(new Keystore.Activation(v(1), 1), new Keystore.Activation(v(2), 2)));
  }

  private static VersionEntry active() {
    return version("env", FIRST.sentinel());
  }

  private static Keystore.Identity identity(String id, long incarnation, Keystore.Use use) {
    return new Keystore.Identity(id, incarnation, use);
  }

  private static Timings longer(int which) {
    Duration[] all = {
      Timings.DEFAULT.heartbeat(),
      Timings.DEFAULT.fresh(),
      Timings.DEFAULT.lease(),
      Timings.DEFAULT.expire(),
      Timings.DEFAULT.adopt()
    };
    all[which] = all[which].minusMillis(which == 0 ? 1 : 0).plusMillis(which == 0 ? 0 : 1);
    return new Timings(all[0], all[1], all[2], all[3], all[4]);
  }

  private static final Rotation.Idle IDLE = new Rotation.Idle();

  /// Keystores that differ from [#KEYSTORE] in one component, by the fact that must show the
  /// difference.
  private static Map<String, Keystore> others() {
    Map<String, Keystore> others = new TreeMap<>();
    others.put("id", with(identity("l", 1, Keystore.Use.RECORDS), 1, IDLE));
    others.put("incarnation", with(identity("k", 2, Keystore.Use.RECORDS), 1, IDLE));
    others.put("use", with(identity("k", 1, Keystore.Use.KMS), 1, IDLE));
    others.put("epoch", with(KEYSTORE.identity(), 2, IDLE));
    others.put("writable", with(Timings.DEFAULT, active(), 1, 2));
    others.put("active", afterFlip());
    others.put("activation.2", afterFlip());
    others.put("rotation", rotating(new Rotation.Staged(JOB)));
    List<String> names = List.of("heartbeat", "fresh", "lease", "expire", "adopt");
    for (int i = 0; i < names.size(); i++) {
      others.put("timing." + names.get(i), with(longer(i), active(), 1));
    }
    others.put("v1.sentinel", with(Timings.DEFAULT, version("env", sentinel(1)), 1));
    others.put("v1.provider", with(Timings.DEFAULT, version("file", active().sentinel()), 1));
    VersionEntry lost =
        new VersionEntry(
            "env",
            active().sentinel(),
            VersionState.ACTIVE,
            VersionEntry.Trust.COMPROMISED,
            new TreeSet<>());
    others.put("v1.trust", with(Timings.DEFAULT, lost, 1));
    VersionEntry attested =
        new VersionEntry(
            "env",
            active().sentinel(),
            VersionState.ACTIVE,
            VersionEntry.Trust.TRUSTED,
            new TreeSet<>(List.of("blue")));
    others.put("v1.attested", with(Timings.DEFAULT, attested, 1));
    others.put("v1.state", afterFlip());
    return others;
  }

  private static VersionEntry version(String provider, Sentinel sentinel) {
    return new VersionEntry(provider, sentinel, VersionState.ACTIVE);
  }

  private static List<String> changedFacts(Keystore next) {
    return KeystoreFacts.of(KEYSTORE).changesTo(KeystoreFacts.of(next)).stream()
        .map(AuditChange::name)
        .toList();
  }

  @Test
  void everyDifference_isAFact() {
    others()
        .forEach((fact, other) ->
            assertEquals(
                List.of(fact), changedFacts(other).stream().filter(fact::equals).toList()));
  }

  /// A new component of the keystore needs a fact, and a line in `others`.
  @Test
  void everyComponentOfAKeystore_isVaried() {
    Set<String> varied =
        others().values().stream()
            .flatMap(other ->
                Arrays.stream(Keystore.class.getRecordComponents())
                    .filter(it -> !value(it, KEYSTORE).equals(value(it, other))))
            .map(RecordComponent::getName)
            .collect(Collectors.toSet());
    assertEquals(
        Arrays.stream(Keystore.class.getRecordComponents())
            .map(RecordComponent::getName)
            .collect(Collectors.toSet()),
        varied);
  }

  private static Object value(RecordComponent component, Keystore keystore) {
    try {
      return component.getAccessor().invoke(keystore);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  @Test
  void everyRotation_hasFactsOfItsOwn() {
    RotationJob turned =
        job("r-1", JOB.kind(), new AnyProcesses(), RotationJob.Course.TURNED, "w-1");
    RotationJob withoutDriver =
        job(
            "r-1",
            JOB.kind(),
            new AnyProcesses(),
            RotationJob.Course.FORWARD,
            RotationJob.NO_DRIVER);
    RotationJob revoking =
        job(
            "r-1",
            RotationJob.Kind.REVOCATION,
            new AnyProcesses(),
            RotationJob.Course.FORWARD,
            "w-1");
    RotationJob second =
        job("r-2", JOB.kind(), new AnyProcesses(), RotationJob.Course.FORWARD, "w-1");
    RotationJob ofThree = job("r-1", JOB.kind(), new AtLeast(3), RotationJob.Course.FORWARD, "w-1");
    RotationJob ofOne =
        job(
            "r-1",
            JOB.kind(),
            new Named(new TreeSet<>(Set.of("a"))),
            RotationJob.Course.FORWARD,
            "w-1");
    List<Rotation> all =
        List.of(
            IDLE,
            new Rotation.Staged(JOB),
            new Rotation.Staged(turned),
            new Rotation.Staged(withoutDriver),
            new Rotation.Staged(revoking),
            new Rotation.Staged(second),
            new Rotation.Staged(ofThree),
            new Rotation.Staged(ofOne),
            new Rotation.OpeningFences(JOB),
            new Rotation.Rewrapping(JOB),
            new Rotation.Settling(JOB),
            new Rotation.Fencing(JOB),
            new Rotation.Sweeping(JOB),
            new Rotation.Proving(JOB),
            new Rotation.Blocked(JOB, 1),
            new Rotation.Blocked(JOB, 2),
            new Rotation.Paused(new Rotation.Staged(JOB)),
            new Rotation.Paused(new Rotation.Proving(JOB)),
            new Rotation.Completed(JOB),
            new Rotation.Aborted(JOB));
    Set<KeystoreFacts> facts =
        all.stream().map(it -> KeystoreFacts.of(rotating(it))).collect(Collectors.toSet());
    assertEquals(all.size(), facts.size());
  }

  @Test
  void changesBetweenKeystores_areThoseBetweenAllTheirFacts() {
    others()
        .values()
        .forEach(other -> {
          KeystoreFacts facts = KeystoreFacts.of(other);
          KeystoreFacts before = KeystoreFacts.of(KEYSTORE);
          assertEquals(before.changesTo(facts), KeystoreFacts.changes(KEYSTORE, other));
          assertEquals(facts.changesTo(before), KeystoreFacts.changes(other, KEYSTORE));
        });
  }

  @Test
  void changes_leadFromOneToTheOther() {
    KeystoreFacts before = KeystoreFacts.of(KEYSTORE);
    KeystoreFacts after = KeystoreFacts.of(afterFlip());
    assertEquals(Optional.of(after), before.after(before.changesTo(after)));
    assertEquals(Optional.of(before), after.after(after.changesTo(before)));
    assertEquals(Optional.of(after), KeystoreFacts.NONE.after(KeystoreFacts.NONE.changesTo(after)));
    assertEquals(Optional.empty(), after.after(before.changesTo(after)));
    assertNotEquals(before, after);
  }
}
