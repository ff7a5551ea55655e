package keyfleet.member;

import static keyfleet.member.MemberFixtures.ORDERS;
import static keyfleet.member.MemberFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.member.MemberException.ContextMismatch;
import keyfleet.member.MemberException.InvalidSetting;
import keyfleet.member.MemberException.KeyVersionNotLoaded;
import keyfleet.member.MemberException.LeaseExpired;
import keyfleet.member.MemberException.NameTaken;
import keyfleet.member.MemberException.NotAdmitted;
import keyfleet.member.MemberException.NotRegistered;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.member.MemberException.TimingsMismatch;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.store.CollectionShape;
import keyfleet.store.Fence;
import org.junit.jupiter.api.Test;

class MemberTest {
  private static final Timings TIMINGS = Timings.DEFAULT;
  private static final Duration MILLI = Duration.ofMillis(1);

  private final TestFleet fleet = TestFleet.ofVersion1();

  private MemberBuilder withOrders(MemberBuilder builder) {
    return builder.collection(TestEngine.NAME, fleet.engine(), ORDERS);
  }

  private Member join(String instance) {
    return withOrders(fleet.member(instance)).join();
  }

  @Test
  void memberThatJoined_sealsAndOpensAtOnce() {
    try (Member member = join("api-1")) {
      FieldCipher card = member.cipher("orders", "card");
      SealedValue sealed = card.seal("o-1", "4111");
      assertEquals("4111", card.open("o-1", sealed).text());
      assertEquals("4111", card.open("o-1", sealed.bytes()).text());
      assertEquals("SealedValue[main v1]", sealed.toString());
      assertEquals(v(1), member.activeVersion().orElseThrow());
      assertTrue(member.isReady());
    }
    assertEquals(List.of(), fleet.heartbeats());
  }

  /// A process that registers itself after it has read the keystore could follow a keystore of long
  /// ago: no rotation counted on it yet.
  @Test
  void registration_isAfterTheFirstHeartbeatAndBeforeTheKeystoreIsRead() {
    fleet.rotation().announce(2);
    Member member =
        withOrders(fleet.member("api-1"))
            .registration(instance -> {
              assertEquals(instance, fleet.heartbeats().getFirst().instance());
              fleet.rotation().stage(2);
              fleet.rotation().flip();
            })
            .join();
    assertEquals(v(2), member.activeVersion().orElseThrow());
  }

  @Test
  void heartbeat_containsTheProcessAndItsLoadedKeys() {
    withOrders(fleet.member("api-1")).role("api").software("7.1").join();
    Heartbeat beat = fleet.heartbeats().getFirst();
    assertEquals("api-1", beat.instance());
    assertEquals("api", beat.process().role());
    assertEquals("7.1", beat.process().software());
    assertEquals(1, beat.epoch());
    beat.loadedVersions().values().forEach(it -> assertInstanceOf(Proved.class, it.proofStatus()));
  }

  @Test
  void valueOfAnotherField_isRefusedWithoutAReason() {
    Member member = join("api-1");
    SealedValue sealed = member.cipher("orders", "card").seal("o-1", "4111");
    var elsewhere =
        List.of(
            assertThrows(
                ContextMismatch.class, () -> member.cipher("orders", "card").open("o-2", sealed)),
            assertThrows(
                ContextMismatch.class,
                () -> member.cipher("orders", "card").open("o-1", new byte[9])),
            assertThrows(
                ContextMismatch.class,
                () ->
                    member
                        .cipher("orders", "card")
                        .open(
                            "o-1", new SealedValue(new KeyringName("other"), sealed.envelope()))));
    assertEquals(1, elsewhere.stream().map(Throwable::getMessage).distinct().count());
    assertThrows(ContextMismatch.class, () -> member.cipher("orders", "name").open("o-1", sealed));
    assertFalse(elsewhere.getFirst().getMessage().contains("o-2"), "ids may be personal");
  }

  @Test
  void undeclaredCollectionOrField_isABug() {
    Member member = join("api-1");
    assertThrows(IllegalArgumentException.class, () -> member.cipher("customers", "card"));
    assertThrows(IllegalArgumentException.class, () -> member.cipher("orders", "cvv"));
  }

  @Test
  void flip_isNoticedByAHintAndShownInTheNextHeartbeat() {
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    Member member = join("api-1");
    FieldCipher card = member.cipher("orders", "card");
    SealedValue before = card.seal("o-1", "4111");
    fleet.rotation().stage(2);
    fleet.advance(Duration.ofSeconds(2));
    assertTrue(member.isReady());
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    assertEquals(v(2), card.seal("o-1", "4111").version());
    assertEquals(2, fleet.heartbeats().getFirst().epoch());
    assertEquals("4111", card.open("o-1", before).text());
    SealedValue moved = card.rewrap("o-1", before);
    assertEquals(v(2), moved.version());
    assertEquals("4111", card.open("o-1", moved).text());
  }

  @Test
  void flipWithoutAHint_isNoticedWithinAHeartbeat() {
    fleet.keys().give(2);
    fleet.rotation().announce(2);
    Member member = join("api-1");
    fleet.engine().inner().disconnectWatches();
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(33));
    assertEquals(v(2), member.cipher("orders", "card").seal("o-1", "4111").version());
  }

  @Test
  void missingStagedKey_stopsSealingUntilItIsProvisioned() {
    TestKeyProvider own = fleet.keysOf(1);
    Member member = withOrders(fleet.memberWith(own, "api-1")).join();
    FieldCipher card = member.cipher("orders", "card");
    SealedValue before = card.seal("o-1", "4111");
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.advance(Duration.ofSeconds(2));
    NotAdmitted refused = assertThrows(NotAdmitted.class, () -> card.seal("o-1", "4111"));
    assertEquals("give the process access to main v2 in test", refused.remedy());
    assertEquals("4111", card.open("o-1", before).text());
    own.give(2);
    fleet.advance(Duration.ofSeconds(33));
    assertEquals(v(1), card.seal("o-1", "4111").version());
  }

  @Test
  void valueUnderAKeyThatIsNotLoaded_namesTheVersion() {
    fleet.keys().give(2);
    Member withBothKeys = join("api-1");
    fleet.rotation().announce(2);
    fleet.rotation().stage(2);
    fleet.rotation().flip();
    fleet.advance(Duration.ofSeconds(2));
    SealedValue sealed = withBothKeys.cipher("orders", "card").seal("o-1", "4111");
    Member withOldKey = withOrders(fleet.memberWith(fleet.keysOf(1), "api-2")).join();
    KeyVersionNotLoaded missing =
        assertThrows(
            KeyVersionNotLoaded.class,
            () -> withOldKey.cipher("orders", "card").open("o-1", sealed));
    assertTrue(missing.getMessage().contains("main v2"), missing.getMessage());
    assertFalse(withOldKey.isReady());
  }

  @Test
  void storeOutage_stopsSealingExactlyWhenTheLeaseEnds() {
    Member member = join("api-1");
    FieldCipher card = member.cipher("orders", "card");
    SealedValue before = card.seal("o-1", "4111");
    fleet.engine().disconnect();
    fleet.advance(TIMINGS.lease().minus(MILLI));
    card.seal("o-1", "4111");
    assertTrue(member.isReady());
    fleet.advance(MILLI);
    LeaseExpired over = assertThrows(LeaseExpired.class, () -> card.seal("o-1", "4111"));
    assertTrue(over.remedy().contains("bring the store back"), over.remedy());
    assertFalse(member.isReady());
    assertEquals("4111", card.open("o-1", before).text());
  }

  @Test
  void storeThatComesBack_isNoticedByItself() {
    Member member = join("api-1");
    FieldCipher card = member.cipher("orders", "card");
    fleet.engine().disconnect();
    fleet.advance(Duration.ofMinutes(10));
    assertThrows(LeaseExpired.class, () -> card.seal("o-1", "4111"));
    fleet.engine().reconnect();
    fleet.advance(TIMINGS.heartbeat());
    card.seal("o-1", "4111");
    assertEquals(1, fleet.heartbeats().size());
  }

  @Test
  void silentStore_isTriedFourTimesAHeartbeat() {
    Member member = join("api-1");
    FieldCipher card = member.cipher("orders", "card");
    for (int i = 0; i < 20; i++) {
      fleet.engine().disconnect();
      fleet.advance(Duration.ofSeconds(130));
      assertThrows(LeaseExpired.class, () -> card.seal("o-1", "4111"));
      fleet.engine().reconnect();
      fleet.advance(Duration.ofMillis(8_250));
      card.seal("o-1", "4111");
    }
  }

  /// With a clock that moves, the round before the registration is older than the registration (ADR
  /// 7).
  @Test
  void memberThatJoined_sealsAtOnceAlsoIfItIsTheFirstToRegister() {
    AtomicLong nanos = new AtomicLong();
    Member member = withOrders(fleet.member("api-1")).clock(nanos::incrementAndGet).join();
    assertEquals(v(1), member.cipher("orders", "card").seal("o-1", "4111").version());
  }

  @Test
  void tenMinutesOfWork_keepTheHeartbeatFresh() {
    join("api-1");
    for (int i = 0; i < 600; i++) {
      fleet.advance(Duration.ofSeconds(1));
      Heartbeat beat = fleet.heartbeats().getFirst();
      long age = fleet.nanos() / 1_000_000 - beat.writtenAt().toEpochMilli();
      assertTrue(age <= 33_000, "age " + age);
    }
  }

  @Test
  void secondRunUnderOneName_doesNotStart() {
    join("api-1");
    NameTaken taken = assertThrows(NameTaken.class, () -> join("api-1"));
    assertTrue(taken.remedy().contains("KEYFLEET_INSTANCE"), taken.remedy());
    fleet.advance(Duration.ofMinutes(5));
    assertThrows(NameTaken.class, () -> join("api-1"));
    assertEquals(1, fleet.heartbeats().size());
  }

  @Test
  void nameOfAMemberThatLeft_isFree() {
    join("api-1").close();
    assertTrue(join("api-1").isReady());
  }

  @Test
  void otherTimings_doNotStart() {
    Timings own =
        new Timings(
            Duration.ofSeconds(2),
            TIMINGS.fresh(),
            TIMINGS.lease(),
            TIMINGS.expire(),
            TIMINGS.adopt());
    TimingsMismatch refused =
        assertThrows(
            TimingsMismatch.class, () -> withOrders(fleet.member("api-1")).timings(own).join());
    assertEquals(
        "this process was set to KEYFLEET_TIMING_HEARTBEAT=2s, the fleet to"
            + " KEYFLEET_TIMING_HEARTBEAT=30s",
        refused.getMessage());
    assertEquals(
        List.of(),
        new CollectionRegistry(fleet.engine().inner(), () -> "n").registrations(KeyringName.MAIN));
    assertTrue(withOrders(fleet.member("api-1")).timings(TIMINGS).join().isReady());
  }

  @Test
  void storeThatDoesNotAnswer_isNotJoined() {
    fleet.engine().disconnect();
    StoreUnavailable refused = assertThrows(StoreUnavailable.class, () -> join("api-1"));
    assertEquals("no connection", refused.getMessage());
  }

  @Test
  void collectionOfAnotherShape_doesNotStart() {
    join("api-1");
    CollectionShape less = new CollectionShape("orders", "id", new TreeSet<>(Set.of("card")));
    MemberBuilder other = fleet.member("api-2").collection(TestEngine.NAME, fleet.engine(), less);
    NotRegistered refused = assertThrows(NotRegistered.class, other::join);
    assertTrue(refused.getMessage().contains("sealed fields [card, name]"), refused.getMessage());
    assertEquals(1, fleet.heartbeats().size());
  }

  @Test
  void memberOfAnEmptyKeyring_sealsWhenTheFirstKeyIsAnnounced() {
    TestFleet empty = TestFleet.withoutKeystore();
    Member member =
        empty.member("api-1").collection(TestEngine.NAME, empty.engine(), ORDERS).join();
    FieldCipher card = member.cipher("orders", "card");
    NotAdmitted refused = assertThrows(NotAdmitted.class, () -> card.seal("o-1", "4111"));
    assertEquals("keyfleet kek announce --version=1", refused.remedy());
    assertEquals(1, empty.heartbeats().size());
    empty.rotation().announce(1);
    empty.advance(Duration.ofSeconds(3));
    assertEquals(v(1), card.seal("o-1", "4111").version());
  }

  @Test
  void keyringOfAPlugin_sealsNoRecords() {
    TestFleet plugins = TestFleet.withoutKeystore();
    plugins.rotation().bootstrap(Keystore.Use.KMS);
    MemberBuilder builder =
        plugins.member("api-1").collection(TestEngine.NAME, plugins.engine(), ORDERS);
    assertThrows(InvalidSetting.class, builder::join);
    assertEquals(List.of(), plugins.heartbeats());
    assertTrue(plugins.member("api-1").join().isReady());
  }

  @Test
  void fenceAheadOfTheKeystore_isASafeHold() {
    Member member = join("api-1");
    fleet.engine().collection("orders").fence(Fence.of(new Fence.Term(1, 9), Set.of(v(1))));
    fleet.advance(Duration.ofSeconds(33));
    NotAdmitted refused =
        assertThrows(NotAdmitted.class, () -> member.cipher("orders", "card").seal("o-1", "4111"));
    assertTrue(refused.getMessage().contains("safe hold"), refused.getMessage());
  }

  @Test
  void memberThatLeft_sealsNothingAndStillOpens() {
    Member member = join("api-1");
    FieldCipher card = member.cipher("orders", "card");
    SealedValue sealed = card.seal("o-1", "4111");
    member.close();
    member.close();
    assertThrows(NotAdmitted.class, () -> card.seal("o-1", "4111"));
    assertEquals("4111", card.open("o-1", sealed).text());
    assertFalse(member.isReady());
    fleet.advance(Duration.ofMinutes(1));
    assertEquals(List.of(), fleet.heartbeats());
  }

  @Test
  void twoKeyrings_shareAnEngine() {
    TestFleet archive = fleet.sharingStore(new KeyringName("archive"));
    Member first = join("api-1");
    CollectionShape files = new CollectionShape("files", "id", new TreeSet<>(Set.of("body")));
    Member second =
        archive.member("api-1").collection(TestEngine.NAME, fleet.engine(), files).join();
    SealedValue sealed = second.cipher("files", "body").seal("f-1", new byte[] {1, 2});
    assertEquals("SealedValue[archive v1]", sealed.toString());
    assertEquals(
        "SealedValue[main v1]", first.cipher("orders", "card").seal("o-1", "1").toString());
    assertEquals(1, fleet.heartbeats().size());
    assertEquals(1, archive.heartbeats().size());
    second.close();
    assertEquals(1, fleet.heartbeats().size());
    assertThrows(
        NotRegistered.class,
        () -> archive.member("api-2").collection(TestEngine.NAME, fleet.engine(), ORDERS).join());
  }

  /// A driver of the module `control` runs as such an activity.
  @Test
  void periodicActivity_runsAsTimePasses() {
    AtomicLong calls = new AtomicLong();
    fleet.every(Duration.ofSeconds(10), calls::incrementAndGet);
    fleet.advance(Duration.ofSeconds(9));
    assertEquals(0, calls.get());
    fleet.advance(Duration.ofSeconds(21));
    assertEquals(3, calls.get());
  }
}
