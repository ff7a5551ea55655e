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
import keyfleet.member.MemberFixtures.InMemoryKeyProvider;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.InSafeHold;
import keyfleet.member.MembershipState.NameTaken;
import keyfleet.member.MembershipState.NoKeystore;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.Sealer;
import keyfleet.member.SealerResult;
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
  private static final FieldLocation PLACE = new FieldLocation("orders", "o1", "card");

  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final InMemoryKeyProvider keychain = new InMemoryKeyProvider(1, 2);
  private final Map<String, SafeHold.FenceMark> fences = new HashMap<>();
  private final KeystoreStore keystores = new KeystoreStore(kv, KeyringName.MAIN, this::nonce);
  private int nonces;

  private String nonce() {
    return "n-" + nonces++;
  }

  private long nanos() {
    return Duration.ofMillis(time.now().millis()).toNanos();
  }

  private LoadedKeys holder(InMemoryKeyProvider chain) {
    return new LoadedKeys(KeyringName.MAIN, List.of(chain), RANDOM);
  }

  private Membership member(Kv over, String run, InMemoryKeyProvider chain) {
    return member(over, new ProcessIdentity(origin("api-1", run), 1, null), holder(chain));
  }

  private Membership member(Kv over, ProcessIdentity self, LoadedKeys keys) {
    return new Membership(
        self, new Membership.StoreAccess(over, this::nonce), keys, () -> fences, this::nanos);
  }

  private Sealer sealer(Membership member, LoadedKeys keys, String... fields) {
    CollectionRegistration collectionRegistration =
        new CollectionRegistration(KeyringName.MAIN, "fake", "orders", List.of(fields));
    return new Sealer(
        collectionRegistration,
        new CollectionRegistry(kv, this::nonce),
        keys,
        member::standing,
        this::nanos);
  }

  /// Version 1 active, 2 announced.
  @BeforeEach
  void bootstrap() {
    LoadedKeys keys = holder(new InMemoryKeyProvider(1, 2));
    keys.refresh();
    var identity = new Keystore.Identity("id", 1, Keystore.Use.RECORDS);
    Keystore first = Keystore.bootstrap(identity, keyVersion(keys, 1), TIMINGS);
    Accepted accepted = (Accepted) first.announce(v(2), keyVersion(keys, 2));
    assertInstanceOf(WriteOutcome.Applied.class, keystores.create(accepted.keystore()));
  }

  private static VersionEntry keyVersion(LoadedKeys keys, int version) {
    Sentinel sentinel = Sentinel.create(keys.cipher(), v(version), RANDOM).orElseThrow();
    return new VersionEntry("env", sentinel, VersionState.ANNOUNCED);
  }

  private void stage() {
    var held = keystores.read().orElseThrow();
    RotationEvent start =
        new RotationEvent.StartRequested(new RotationId("r"), v(1), v(2), "worker");
    keystores.replace(held, ((Accepted) held.keystore().decide(start)).keystore());
  }

  private Heartbeat beat() {
    return new RosterStore(kv, KeyringName.MAIN).read(TIMINGS).heartbeats().getFirst();
  }

  @Test
  void joining_admitsAndShowsProofs() {
    Membership member = member(kv, "run-1", keychain);
    assertInstanceOf(Admitted.class, member.tick());
    assertEquals(1, beat().epoch());
    assertEquals(v(1), beat().current());
    beat().loadedVersion().values().forEach(it -> assertInstanceOf(Proved.class, it.proofStatus()));
    assertEquals(Set.of(v(1), v(2)), beat().loadedVersion().keySet());
  }

  @Test
  void keyWithOtherBytes_isShownAsFailed() {
    keychain.giveWrong(2);
    Membership member = member(kv, "run-1", keychain);
    assertInstanceOf(Admitted.class, member.tick());
    assertEquals(new Failed(), word(2));
    stage();
    assertEquals(new TreeSet<>(Set.of(v(2))), ((ReadOnly) member.tick()).unproved());
  }

  private Heartbeat.ProofStatus word(int version) {
    return beat().loadedVersion().entrySet().stream()
        .filter(it -> it.getKey().equals(v(version)))
        .findFirst()
        .orElseThrow()
        .getValue()
        .proofStatus();
  }

  @Test
  void withoutAKeystore_beatsAndSealsNothing() {
    FakeKv empty = new FakeKv(time);
    Membership member = member(empty, "run-1", keychain);
    assertInstanceOf(NoKeystore.class, member.tick());
    assertEquals(1, new RosterStore(empty, KeyringName.MAIN).read(TIMINGS).heartbeats().size());
    assertTrue(member.standing().words().contains("Try: keyfleet kek announce --version=1"), "");
  }

  @Test
  void stagedVersionThatIsMissing_readsOnlyUntilItComes() {
    InMemoryKeyProvider poor = new InMemoryKeyProvider(1);
    Membership member = member(kv, "run-1", poor);
    assertInstanceOf(Admitted.class, member.tick());
    stage();
    assertInstanceOf(ReadOnly.class, member.tick());
    poor.give(2);
    assertInstanceOf(Admitted.class, member.tick());
  }

  /// Join.tla: whatever the gate stages before it lists is seen by whoever it does not list.
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
    assertInstanceOf(ReadOnly.class, member(staging, "run-1", new InMemoryKeyProvider(1)).tick());
  }

  @Test
  void secondFreshRunUnderOneName_isRefused() {
    member(kv, "run-1", keychain).tick();
    Membership second = member(kv, "run-2", keychain);
    assertEquals(new NameTaken("run-1"), second.tick());
    time.advance(TIMINGS.fresh());
    assertEquals(new NameTaken("run-1"), second.tick());
    time.advance(Duration.ofMillis(1));
    assertInstanceOf(Admitted.class, second.tick());
  }

  @Test
  void runWhoseNameWasTakenWhileItSlept_stopsSealing() {
    LoadedKeys keys = holder(keychain);
    Membership first = member(kv, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    first.tick();
    time.advance(TIMINGS.fresh().plusSeconds(1));
    member(kv, "run-2", keychain).tick();
    assertEquals(new NameTaken("run-2"), first.tick());
    assertInstanceOf(
        SealerResult.NotAdmitted.class, sealer(first, keys, "card").seal(PLACE, secret()));
  }

  @Test
  void runThatSleptUntilItsBeatExpired_joinsAgain() {
    Membership member = member(kv, "run-1", keychain);
    member.tick();
    time.advance(TIMINGS.expire());
    assertInstanceOf(Admitted.class, member.tick());
  }

  @Test
  void gracefulStop_deletesTheBeat() {
    Membership member = member(kv, "run-1", keychain);
    member.tick();
    member.stop();
    assertEquals(List.of(), new RosterStore(kv, KeyringName.MAIN).read(TIMINGS).heartbeats());
    assertInstanceOf(Admitted.class, member(kv, "run-2", keychain).tick());
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
    ProcessIdentity self = new ProcessIdentity(origin("api-1", "run-1"), 1, own);
    assertEquals(new DifferentTimings(own, TIMINGS), member(kv, self, holder(keychain)).tick());
  }

  @Test
  void fenceAheadOfTheKeystore_isASafeHold() {
    fences.put("orders", new SafeHold.FenceMark(1, 2));
    assertInstanceOf(InSafeHold.class, member(kv, "run-1", keychain).tick());
  }

  @Test
  void providerThatFails_keepsWhatItGave() {
    Membership member = member(kv, "run-1", keychain);
    member.tick();
    keychain.fail();
    assertInstanceOf(Admitted.class, member.tick());
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class)
  void heartbeatWithoutAClearAnswer_isFoundOut(Fault fault) {
    var troubles =
        new Object() {
          Fault next = Fault.NONE;
        };
    Membership member = member(new UnreliableKv(kv, () -> troubles.next), "run-1", keychain);
    member.tick();
    troubles.next = fault;
    time.advance(TIMINGS.heartbeat());
    member.tick();
    troubles.next = Fault.NONE;
    time.advance(TIMINGS.heartbeat());
    assertInstanceOf(Admitted.class, member.tick(), fault.toString());
  }

  private static SecretBytes secret() {
    return SecretBytes.copyOf(new byte[] {42});
  }

  @Test
  void lease_countsFromTheStartOfTheRound() {
    LoadedKeys keys = holder(keychain);
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
    Membership member = member(slow, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    long began = nanos();
    Admitted admitted = assertInstanceOf(Admitted.class, member.tick());
    assertEquals(began, admitted.lease().roundTripStartNanos());
  }

  @Test
  void seal_worksWhileTheLeaseHoldsAndNotAfter() {
    LoadedKeys keys = holder(keychain);
    Membership member = member(kv, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    Sealer sealer = sealer(member, keys, "card");
    assertInstanceOf(SealerResult.NotAdmitted.class, sealer.seal(PLACE, secret()));
    sealer.register();
    member.tick();
    time.advance(TIMINGS.lease().minusMillis(1));
    var sealed = assertInstanceOf(SealerResult.Sealed.class, sealer.seal(PLACE, secret()));
    assertEquals(v(1), sealed.envelope().version());
    time.advance(Duration.ofMillis(1));
    assertEquals(new SealerResult.LeaseExpired(), sealer.seal(PLACE, secret()));
    assertInstanceOf(Opened.class, sealer.open(PLACE, sealed.envelope().toBytes()));
  }

  @Test
  void storeOutage_changesNothingUntilTheLeaseRunsOut() {
    LoadedKeys keys = holder(keychain);
    var down =
        new Object() {
          boolean is;
        };
    Kv failing =
        new ForwardingKv() {
          @Override
          public Kv inner() {
            if (down.is) {
              throw new StoreException("no connection");
            }
            return kv;
          }
        };
    Membership member =
        member(failing, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    Sealer sealer = sealer(member, keys, "card");
    sealer.register();
    member.tick();
    down.is = true;
    time.advance(TIMINGS.heartbeat());
    member.tick();
    assertInstanceOf(SealerResult.Sealed.class, sealer.seal(PLACE, secret()));
    time.advance(TIMINGS.lease().minus(TIMINGS.heartbeat()));
    assertEquals(new SealerResult.LeaseExpired(), sealer.seal(PLACE, secret()));
  }

  @Test
  void firstSeal_registersTheCollectionOnce() {
    LoadedKeys keys = holder(keychain);
    Membership member = member(kv, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    member.tick();
    sealer(member, keys, "card").seal(PLACE, secret());
    sealer(member, keys, "card").seal(PLACE, secret());
    assertInstanceOf(
        SealerResult.NotRegistered.class,
        sealer(member, keys, "card", "name").seal(PLACE, secret()));
    assertEquals(1, new CollectionRegistry(kv, this::nonce).of(KeyringName.MAIN).size());
  }

  /// A rotation that ended before it was registered has not fenced the collection (ADR 7).
  @Test
  void sealInACollectionJustRegistered_waitsForTheNextRound() {
    LoadedKeys keys = holder(keychain);
    Membership member = member(kv, new ProcessIdentity(origin("api-1", "run-1"), 1, null), keys);
    Sealer sealer = sealer(member, keys, "card");
    member.tick();
    time.advance(Duration.ofMillis(1));
    assertEquals(new SealerResult.JustRegistered(), sealer.seal(PLACE, secret()));
    assertEquals(new SealerResult.JustRegistered(), sealer.seal(PLACE, secret()));
    member.tick();
    assertInstanceOf(SealerResult.Sealed.class, sealer.seal(PLACE, secret()));
  }

  @Test
  void keystoreReplacedTwiceFromOneRevision_isReplacedOnce() {
    var held = keystores.read().orElseThrow();
    assertInstanceOf(WriteOutcome.Applied.class, keystores.replace(held, held.keystore()));
    assertInstanceOf(WriteOutcome.Superseded.class, keystores.replace(held, held.keystore()));
    assertInstanceOf(WriteOutcome.Superseded.class, keystores.create(held.keystore()));
  }

  @Test
  void noteOfAChange_isReadWithTheKeystore() {
    var held = keystores.read().orElseThrow();
    Document note = Document.builder().text("what", "nothing").build();
    keystores.replace(held, held.keystore(), note);
    assertEquals(note, keystores.read().orElseThrow().note());
    assertEquals(held.keystore(), keystores.read().orElseThrow().keystore());
  }

  @Test
  void namesOfAnyLetters_fitIntoKeys() {
    assertEquals("host_2E1_3A8", KeyEscaper.word("host.1:8"));
    assertEquals("_5F_C3_A4", KeyEscaper.word("_ä"));
    assertTrue(Key.isValid("main." + KeyEscaper.word("pod name/ü*>")), "a key");
  }
}
