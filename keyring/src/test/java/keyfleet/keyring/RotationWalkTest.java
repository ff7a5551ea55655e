package keyfleet.keyring;

import static keyfleet.keyring.KeyringFixtures.FIRST;
import static keyfleet.keyring.KeyringFixtures.SECOND;
import static keyfleet.keyring.KeyringFixtures.keystore;
import static keyfleet.keyring.KeyringFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationJob.Kind;
import org.junit.jupiter.api.Test;

/// Applies random events in any order, from drivers awake or asleep, and checks what must hold of
/// every keystore that results.
class RotationWalkTest {
  private static final int WALKS = 4_000;
  private static final int STEPS = 250;
  private static final Kind[] KINDS = Kind.values();
  private static final Pattern EDGE = Pattern.compile("/// (\\w+) +--(\\w+)-*> (\\w+).*");

  /// The events that the diagram leaves out, because they apply in every phase alike.
  private static final Set<String> UNDRAWN_EVENTS =
      Set.of("PauseRequested", "ResumeRequested", "Adopted");

  @Test
  void randomWalks_keepTheInvariantsAndTakeExactlyTheDrawnEdges() throws IOException {
    Set<String> taken = new TreeSet<>();
    for (int seed = 0; seed < WALKS; seed++) {
      walk(seed, taken);
    }
    assertEquals(drawnEdges(), taken);
  }

  private static void walk(int seed, Set<String> taken) {
    Random random = new Random(seed);
    Keystore now = keystore(seed % 2 == 0 ? Keystore.Use.RECORDS : Keystore.Use.KMS);
    for (int step = 0; step < STEPS; step++) {
      RotationEvent event = event(random, now);
      if (now.decide(event) instanceof Accepted(Keystore next)) {
        String where = "seed " + seed + ", step " + step + ": " + event;
        check(now, next, where);
        checkKind(now, next, where);
        String name = event.getClass().getSimpleName();
        if (!UNDRAWN_EVENTS.contains(name)) {
          taken.add(phase(now) + " " + name + " " + phase(next));
        }
        now = next;
      }
    }
  }

  private static void check(Keystore before, Keystore after, String where) {
    boolean flipped = !after.activations().equals(before.activations());
    assertEquals(before.epoch() + (flipped ? 1 : 0), after.epoch(), where);
    if (!after.active().equals(before.active())) {
      assertTrue(flipped, where + ": the active version changed without a new epoch");
    }
    assertTrue(after.writable().contains(after.active()), where);
    long active =
        after.versions().values().stream().filter(k -> k.state() == VersionState.ACTIVE).count();
    assertEquals(1, active, where);
    after
        .writable()
        .forEach(v -> assertTrue(isProvable(after, v), where + ": " + v + " is writable"));
  }

  /// A dry run seals, moves and admits nothing. A compromised version stays compromised, and once
  /// disabled it never comes back.
  private static void checkKind(Keystore before, Keystore after, String where) {
    boolean dry =
        Rotation.unfinishedJob(after.rotation())
            .filter(job -> job.kind() == Kind.DRY_RUN)
            .isPresent();
    if (dry) {
      assertEquals("Staged", phase(after), where);
    }
    before
        .versions()
        .keySet()
        .forEach(version -> {
          if (before.isCompromised(version)) {
            assertTrue(after.isCompromised(version), where);
            boolean wasDisabled =
                before.stateOf(version).equals(Optional.of(VersionState.DISABLED));
            assertTrue(
                !wasDisabled || after.stateOf(version).equals(before.stateOf(version)), where);
          }
        });
  }

  /// K1: no process may seal under, and no store may accept, a version that admitted processes did
  /// not have to prove.
  private static boolean isProvable(Keystore keystore, keyfleet.crypto.KekVersion version) {
    return keystore.stateOf(version).orElseThrow().isProofRequired();
  }

  private static String phase(Keystore keystore) {
    Rotation rotation = keystore.rotation();
    Rotation at = rotation instanceof Paused(Rotation.Running resumeTo) ? resumeTo : rotation;
    return at.getClass().getSimpleName();
  }

  private static RotationEvent event(Random random, Keystore now) {
    RotationId id = random.nextInt(8) == 0 ? SECOND : FIRST;
    RotationEpoch at = new RotationEpoch(id, now.epoch() - (random.nextInt(8) == 0 ? 1 : 0));
    return switch (random.nextInt(16)) {
      case 0 ->
          new RotationEvent.StartRequested(
              id,
              KINDS[random.nextInt(KINDS.length)],
              v(1 + random.nextInt(3)),
              v(1 + random.nextInt(3)),
              random.nextInt(4) == 0 ? new AtLeast(2) : new AnyProcesses(),
              "worker");
      case 1 -> new RotationEvent.PauseRequested();
      case 2, 3 -> new RotationEvent.ResumeRequested();
      case 4 ->
          random.nextInt(4) == 0
              ? new RotationEvent.AbortRequested()
              : new RotationEvent.FencesOpened(at);
      case 5 -> new RotationEvent.Adopted(id, "worker-" + random.nextInt(3));
      case 6 ->
          random.nextInt(3) == 0
              ? new RotationEvent.Unstaged(at)
              : new RotationEvent.GatePassed(at);
      case 7 -> new RotationEvent.GatePassed(at);
      case 8 -> new RotationEvent.FencesOpened(at);
      case 9 -> new RotationEvent.RewrapEnded(at);
      case 10 -> new RotationEvent.Settled(at);
      case 11 -> new RotationEvent.Fenced(at);
      case 12 ->
          random.nextInt(3) == 0
              ? new RotationEvent.RecordsBlocked(at, 1)
              : new RotationEvent.SweepEnded(at);
      case 13 -> new RotationEvent.RecordsRepaired(at);
      case 14 ->
          random.nextInt(3) == 0
              ? new RotationEvent.OldRecordsFound(at)
              : new RotationEvent.Proved(at);
      default -> new RotationEvent.Proved(at);
    };
  }

  /// The diagram in the package description.
  private static Set<String> drawnEdges() throws IOException {
    Path source = Path.of("src/main/java/keyfleet/keyring/package-info.java");
    List<String> lines = Files.readAllLines(source);
    Set<String> edges = new TreeSet<>();
    for (String line : lines) {
      var edge = EDGE.matcher(line);
      if (edge.matches()) {
        edges.add(edge.group(1) + " " + edge.group(2) + " " + edge.group(3));
      }
    }
    return edges;
  }
}
