package keyfleet.member.heartbeat;

import static keyfleet.member.MemberFixtures.RANDOM;
import static keyfleet.member.MemberFixtures.origin;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.OpenResult.Opened;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.Sentinel;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Failed;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.InSafeHold;
import keyfleet.member.MembershipState.NameTaken;
import keyfleet.member.MembershipState.NoKeystore;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.Sealer;
import keyfleet.member.SealerResult;
import keyfleet.member.TestFleet;
import keyfleet.member.TestKeyProvider;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeyEscaper;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.document.RosterStore;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.StoreException;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.Value;
import keyfleet.store.WriteOutcome;
import keyfleet.store.WriteResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MembershipTest {
  private static final Timings TIMINGS = Timings.DEFAULT;
  private static final FieldLocation LOCATION = new FieldLocation("orders", "o1", "card");

  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final TestFleet fleet = TestFleet.withoutKeystore();
  private final TestKeyProvider provider = fleet.keysOf(1, 2);
  private final Map<String, SafeHold.FenceMark> fences = new HashMap<>();
  private final KeystoreStore keystores = new KeystoreStore(kv, KeyringName.MAIN, this::nonce);
  private int nonces;

  private String nonce() {
    return "n-" + nonces++;
  }

  private long nanos() {
    return Duration.ofMillis(time.now().millis()).toNanos();
  }

  private static LoadedKeys loadedKeys(TestKeyProvider provider) {
    return new LoadedKeys(KeyringName.MAIN, List.of(provider), RANDOM);
  }

  private Membership member(Kv over, String run, TestKeyProvider provider) {
    return member(over, run, loadedKeys(provider));
  }

  private Membership member(Kv over, String run, LoadedKeys keys) {
    return member(over, new ProcessIdentity(origin("api-1", run), 1, null), keys);
  }

  private Membership member(Kv over, ProcessIdentity processIdentity, LoadedKeys keys) {
    return new Membership(
        processIdentity,
        new Membership.StoreAccess(over, this::nonce),
        keys,
        () -> fences,
        this::nanos);
  }

  private Sealer sealer(Membership member, LoadedKeys keys, String... fields) {
    CollectionRegistration registration =
        new CollectionRegistration(KeyringName.MAIN, "fake", "orders", List.of(fields));
    return new Sealer(
        registration, new CollectionRegistry(kv, this::nonce), keys, member::state, this::nanos);
  }

  /// Version 1 active, 2 announced.
  @BeforeEach
  void bootstrap() {
    LoadedKeys keys = loadedKeys(fleet.keysOf(1, 2));
    keys.refresh();
    var identity = new Keystore.Identity("id", 1, Keystore.Use.RECORDS);
    Keystore first = Keystore.bootstrap(identity, versionEntry(keys, 1), TIMINGS);
    Accepted accepted = (Accepted) first.announce(v(2), versionEntry(keys, 2));
    assertInstanceOf(WriteOutcome.Applied.class, keystores.create(accepted.keystore()));
  }

  private static VersionEntry versionEntry(LoadedKeys keys, int version) {
    Sentinel sentinel = Sentinel.create(keys.cipher(), v(version), RANDOM).orElseThrow();
    return new VersionEntry("env", sentinel, VersionState.ANNOUNCED);
  }

  private void stage() {
    var stored = keystores.read().orElseThrow();
    RotationEvent start =
        new RotationEvent.StartRequested(new RotationId("r"), v(1), v(2), "worker");
    keystores.replace(stored, ((Accepted) stored.keystore().decide(start)).keystore());
  }

  private Heartbeat beat() {
    return new RosterStore(kv, KeyringName.MAIN).read(TIMINGS).heartbeats().getFirst();
  }

  @Test
  void joining_admitsAndShowsProofs() {
    Membership member = member(kv, "run-1", provider);
    assertInstanceOf(Admitted.class, member.runRound());
    assertEquals(1, beat().epoch());
    assertEquals(v(1), beat().current());
    beat()
        .loadedVersions()
        .values()
        .forEach(it -> assertInstanceOf(Proved.class, it.proofStatus()));
    assertEquals(Set.of(v(1), v(2)), beat().loadedVersions().keySet());
  }

  @Test
  void keyWithOtherBytes_isShownAsFailed() {
    provider.giveWrong(2);
    Membership member = member(kv, "run-1", provider);
    assertInstanceOf(Admitted.class, member.runRound());
    assertEquals(new Failed(), proofStatus(2));
    stage();
    assertEquals(new TreeSet<>(Set.of(v(2))), ((ReadOnly) member.runRound()).unproved());
  }

  private Heartbeat.ProofStatus proofStatus(int version) {
    return beat().loadedVersions().entrySet().stream()
        .filter(it -> it.getKey().equals(v(version)))
        .findFirst()
        .orElseThrow()
        .getValue()
        .proofStatus();
  }

  @Test
  void withoutAKeystore_writesHeartbeatsAndSealsNothing() {
    FakeKv empty = new FakeKv(time);
    Membership member = member(empty, "run-1", provider);
    assertInstanceOf(NoKeystore.class, member.runRound());
    assertEquals(1, new RosterStore(empty, KeyringName.MAIN).read(TIMINGS).heartbeats().size());
    assertTrue(member.state().description().contains("Try: keyfleet kek announce --version=1"), "");
  }

  @Test
  void missingStagedVersion_stopsSealingUntilItIsLoaded() {
    TestKeyProvider provider = fleet.keysOf(1);
    Membership member = member(kv, "run-1", provider);
    assertInstanceOf(Admitted.class, member.runRound());
    stage();
    assertInstanceOf(ReadOnly.class, member.runRound());
    provider.give(2);
    assertInstanceOf(Admitted.class, member.runRound());
  }

  /// Join.tla: a process that the gate does not list sees what the gate staged before it listed.
  @Test
  void keystore_isReadAfterTheHeartbeatIsAcknowledged() {
    Kv staging =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            return kv;
          }

          @Override
          public WriteResult create(Bucket bucket, Key key, Value value) {
            var written = kv.create(bucket, key, value);
            stage();
            return written;
          }
        };
    assertInstanceOf(ReadOnly.class, member(staging, "run-1", fleet.keysOf(1)).runRound());
  }

  @Test
  void secondFreshRunUnderOneName_isRefused() {
    member(kv, "run-1", provider).runRound();
    Membership second = member(kv, "run-2", provider);
    assertEquals(new NameTaken("run-1"), second.runRound());
    time.advance(TIMINGS.fresh());
    assertEquals(new NameTaken("run-1"), second.runRound());
    time.advance(Duration.ofMillis(1));
    assertInstanceOf(Admitted.class, second.runRound());
  }

  @Test
  void runWhoseNameWasTakenWhileItSlept_stopsSealing() {
    LoadedKeys keys = loadedKeys(provider);
    Membership first = member(kv, "run-1", keys);
    first.runRound();
    time.advance(TIMINGS.fresh().plusSeconds(1));
    member(kv, "run-2", provider).runRound();
    assertEquals(new NameTaken("run-2"), first.runRound());
    assertInstanceOf(
        SealerResult.NotAdmitted.class, sealer(first, keys, "card").seal(LOCATION, secret()));
  }

  @Test
  void runThatSleptUntilItsHeartbeatExpired_joinsAgain() {
    Membership member = member(kv, "run-1", provider);
    member.runRound();
    time.advance(TIMINGS.expire());
    assertInstanceOf(Admitted.class, member.runRound());
  }

  @Test
  void gracefulStop_deletesTheHeartbeat() {
    Membership member = member(kv, "run-1", provider);
    member.runRound();
    member.leave();
    assertEquals(List.of(), new RosterStore(kv, KeyringName.MAIN).read(TIMINGS).heartbeats());
    assertInstanceOf(Admitted.class, member(kv, "run-2", provider).runRound());
  }

  @Test
  void otherTimingsThanTheFleets_areRefused() {
    Timings own =
        new Timings(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4),
            Duration.ofSeconds(2));
    ProcessIdentity processIdentity = new ProcessIdentity(origin("api-1", "run-1"), 1, own);
    assertEquals(
        new DifferentTimings(own, TIMINGS),
        member(kv, processIdentity, loadedKeys(provider)).runRound());
  }

  @Test
  void fenceAheadOfTheKeystore_isASafeHold() {
    fences.put("orders", new SafeHold.FenceMark(1, 2, new TreeSet<>(List.of(v(1)))));
    assertInstanceOf(InSafeHold.class, member(kv, "run-1", provider).runRound());
  }

  @Test
  void failedProvider_keepsTheKeysItLoaded() {
    Membership member = member(kv, "run-1", provider);
    member.runRound();
    provider.fail();
    assertInstanceOf(Admitted.class, member.runRound());
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class)
  void heartbeatWithoutAClearAnswer_isResolvedByTheNextRound(Fault fault) {
    var faults =
        new Object() {
          Fault next = Fault.NONE;
        };
    Membership member = member(new UnreliableKv(kv, () -> faults.next), "run-1", provider);
    member.runRound();
    faults.next = fault;
    time.advance(TIMINGS.heartbeat());
    member.runRound();
    faults.next = Fault.NONE;
    time.advance(TIMINGS.heartbeat());
    assertInstanceOf(Admitted.class, member.runRound(), fault.toString());
  }

  private static SecretBytes secret() {
    return SecretBytes.copyOf(new byte[] {42});
  }

  @Test
  void lease_countsFromTheStartOfTheRound() {
    LoadedKeys keys = loadedKeys(provider);
    Kv slow =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            return kv;
          }

          @Override
          public Optional<Entry> get(Bucket bucket, Key key) {
            time.advance(Duration.ofSeconds(20));
            return kv.get(bucket, key);
          }
        };
    Membership member = member(slow, "run-1", keys);
    long startNanos = nanos();
    Admitted admitted = assertInstanceOf(Admitted.class, member.runRound());
    assertEquals(startNanos, admitted.lease().roundTripStartNanos());
  }

  @Test
  void seal_worksWhileTheLeaseHoldsAndNotAfter() {
    LoadedKeys keys = loadedKeys(provider);
    Membership member = member(kv, "run-1", keys);
    Sealer sealer = sealer(member, keys, "card");
    assertInstanceOf(SealerResult.NotAdmitted.class, sealer.seal(LOCATION, secret()));
    sealer.register();
    member.runRound();
    time.advance(TIMINGS.lease().minusMillis(1));
    var sealed = assertInstanceOf(SealerResult.Sealed.class, sealer.seal(LOCATION, secret()));
    assertEquals(v(1), sealed.envelope().version());
    time.advance(Duration.ofMillis(1));
    assertEquals(new SealerResult.LeaseExpired(), sealer.seal(LOCATION, secret()));
    assertInstanceOf(Opened.class, sealer.open(LOCATION, sealed.envelope().toBytes()));
  }

  @Test
  void storeOutage_changesNothingUntilTheLeaseRunsOut() {
    LoadedKeys keys = loadedKeys(provider);
    var outage =
        new Object() {
          boolean isActive;
        };
    Kv failing =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            if (outage.isActive) {
              throw new StoreException("no connection");
            }
            return kv;
          }
        };
    Membership member = member(failing, "run-1", keys);
    Sealer sealer = sealer(member, keys, "card");
    sealer.register();
    member.runRound();
    outage.isActive = true;
    time.advance(TIMINGS.heartbeat());
    member.runRound();
    assertInstanceOf(SealerResult.Sealed.class, sealer.seal(LOCATION, secret()));
    time.advance(TIMINGS.lease().minus(TIMINGS.heartbeat()));
    assertEquals(new SealerResult.LeaseExpired(), sealer.seal(LOCATION, secret()));
  }

  @Test
  void firstSeal_registersTheCollectionOnce() {
    LoadedKeys keys = loadedKeys(provider);
    Membership member = member(kv, "run-1", keys);
    member.runRound();
    sealer(member, keys, "card").seal(LOCATION, secret());
    sealer(member, keys, "card").seal(LOCATION, secret());
    assertInstanceOf(
        SealerResult.NotRegistered.class,
        sealer(member, keys, "card", "name").seal(LOCATION, secret()));
    assertEquals(1, new CollectionRegistry(kv, this::nonce).registrations(KeyringName.MAIN).size());
  }

  /// A rotation that ended before the registration has not fenced the collection (ADR 7).
  @Test
  void sealInACollectionJustRegistered_waitsForTheNextRound() {
    LoadedKeys keys = loadedKeys(provider);
    Membership member = member(kv, "run-1", keys);
    Sealer sealer = sealer(member, keys, "card");
    member.runRound();
    time.advance(Duration.ofMillis(1));
    assertEquals(new SealerResult.JustRegistered(), sealer.seal(LOCATION, secret()));
    assertEquals(new SealerResult.JustRegistered(), sealer.seal(LOCATION, secret()));
    member.runRound();
    assertInstanceOf(SealerResult.Sealed.class, sealer.seal(LOCATION, secret()));
  }

  @Test
  void keystoreReplacedTwiceFromOneRevision_isReplacedOnce() {
    var stored = keystores.read().orElseThrow();
    assertInstanceOf(WriteOutcome.Applied.class, keystores.replace(stored, stored.keystore()));
    assertInstanceOf(WriteOutcome.Superseded.class, keystores.replace(stored, stored.keystore()));
    assertInstanceOf(WriteOutcome.Superseded.class, keystores.create(stored.keystore()));
  }

  @Test
  void auditNoteOfAChange_isReadWithTheKeystore() {
    var stored = keystores.read().orElseThrow();
    Document note = Document.builder().text("what", "nothing").build();
    keystores.replace(stored, stored.keystore(), note);
    assertEquals(note, keystores.read().orElseThrow().auditNote());
    assertEquals(stored.keystore(), keystores.read().orElseThrow().keystore());
  }

  @Test
  void namesWithAnyCharacters_fitIntoKeys() {
    assertEquals("host_2E1_3A8", KeyEscaper.escape("host.1:8"));
    assertEquals("_5F_C3_A4", KeyEscaper.escape("_ä"));
    assertTrue(Key.isValid("main." + KeyEscaper.escape("pod name/ü*>")), "a key");
  }
}
