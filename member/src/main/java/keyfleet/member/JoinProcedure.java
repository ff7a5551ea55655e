package keyfleet.member;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.member.MemberException.InvalidSetting;
import keyfleet.member.MemberException.NameTaken;
import keyfleet.member.MemberException.NotAdmitted;
import keyfleet.member.MemberException.NotRegistered;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.member.MemberException.TimingsMismatch;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.NotJoined;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.heartbeat.HeartbeatDelayPolicy;
import keyfleet.member.heartbeat.HeartbeatLoop;
import keyfleet.member.heartbeat.HeartbeatResult;
import keyfleet.member.heartbeat.HeartbeatSchedule;
import keyfleet.member.heartbeat.KeystoreWatch;
import keyfleet.member.heartbeat.MemberEventLog;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.MembershipHandle;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Fence;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Records;
import keyfleet.store.StoreException;

/// How a process comes into its fleet: it beats and is not refused, *then* registers its
/// collections, then makes the round whose lease lets it seal into them (ADR 7). One that is
/// refused has registered nothing.
final class JoinProcedure {
  /// A round that was not acknowledged, or found the keyring's first key, is made again.
  private static final int ROUNDS = 3;

  /// What a member works with, besides the store and its keys.
  record JoinContext(
      MemberThreads threads,
      Consumer<MemberEvent> reader,
      LongSupplier clock,
      RandomGenerator jitter) {}

  private final ProcessIdentity self;
  private final Membership.StoreAccess ties;
  private final LoadedKeys keys;
  private final JoinContext around;

  /// A declared collection that is there.
  private record OpenedCollection(CollectionDeclaration declared, Records records) {
    String name() {
      return declared.shape().name();
    }
  }

  private final List<OpenedCollection> opened = new ArrayList<>();

  JoinProcedure(
      ProcessIdentity self, Membership.StoreAccess ties, LoadedKeys keys, JoinContext around) {
    this.self = self;
    this.ties = ties;
    this.keys = keys;
    this.around = around;
  }

  Member join(List<CollectionDeclaration> collections) {
    Membership membership = new Membership(self, ties, keys, this::fences, around.clock());
    MemberEventLog diary = new MemberEventLog(self.instance(), keyring(), around.reader());
    HeartbeatLoop rounds = rounds(membership, diary);
    MembershipHandle seat = new MembershipHandle(membership);
    try {
      open(collections);
      refuse(rounds.run(), membership);
      Map<String, SealedRecords> sealed = register(seat);
      settle(rounds, membership);
      diary.joined();
      around.threads().start(rounds);
      return new Member(self.instance(), keys, seat, around.threads(), sealed);
    } catch (RuntimeException e) {
      rounds.end();
      around.threads().stop();
      throw e;
    }
  }

  private HeartbeatLoop rounds(Membership membership, MemberEventLog diary) {
    HeartbeatSchedule schedule =
        new HeartbeatSchedule(around.clock(), new HeartbeatDelayPolicy(around.jitter()));
    KeystoreStore keystores = new KeystoreStore(ties.kv(), keyring(), ties.nonces());
    return new HeartbeatLoop(
        membership, new KeystoreWatch(keystores, schedule::hurry), schedule, diary);
  }

  private KeyringName keyring() {
    return keys.keyring();
  }

  /// An engine refuses a collection that does not exist: it is not registered then, as nobody could
  /// ever count it.
  private void open(List<CollectionDeclaration> collections) {
    for (CollectionDeclaration one : collections) {
      if (opened.stream().anyMatch(it -> it.name().equals(one.shape().name()))) {
        throw new IllegalStateException(one.shape().name() + " is declared twice");
      }
      try {
        opened.add(new OpenedCollection(one, one.engine().records(one.shape())));
      } catch (StoreException e) {
        throw new StoreUnavailable(e);
      }
    }
  }

  /// Who last fenced the collections that this process writes.
  private Map<String, SafeHold.FenceMark> fences() {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    opened.forEach(one ->
        one.records()
            .fence()
            .map(Fence::term)
            .ifPresent(term ->
                fenceMarks.put(
                    one.name(), new SafeHold.FenceMark(term.incarnation(), term.epoch()))));
    return fenceMarks;
  }

  private void refuse(HeartbeatResult round, Membership membership) {
    StoreException silence = round.silence();
    if (silence != null) {
      throw new StoreUnavailable(silence);
    }
    switch (round.standing()) {
      case MembershipState.NameTaken _ ->
          throw new NameTaken(self.instance(), membership.timings().fresh());
      case DifferentTimings other -> throw new TimingsMismatch(other);
      case Admitted(Keystore keystore, _) -> checkUse(keystore);
      case ReadOnly(Keystore keystore, _) -> checkUse(keystore);
      default -> {}
    }
  }

  private void checkUse(Keystore keystore) {
    if (keystore.identity().use() != Keystore.Use.RECORDS && !opened.isEmpty()) {
      throw new InvalidSetting(
          "keyring %s is for a KMS plugin, and seals no records".formatted(keyring()),
          "join with a keyring that was announced with --use records");
    }
  }

  private void settle(HeartbeatLoop rounds, Membership membership) {
    HeartbeatResult round = rounds.run();
    refuse(round, membership);
    for (int i = 1; i < ROUNDS && round.standing() instanceof NotJoined; i++) {
      round = rounds.run();
      refuse(round, membership);
    }
    if (round.standing() instanceof NotJoined) {
      throw new NotAdmitted(keyring(), round.standing());
    }
  }

  private Map<String, SealedRecords> register(MembershipHandle seat) {
    CollectionRegistry registry = new CollectionRegistry(ties.kv(), ties.nonces());
    Map<String, SealedRecords> sealed = new HashMap<>();
    for (OpenedCollection one : opened) {
      CollectionRegistration collectionRegistration = one.declared().registration(keyring());
      Sealer sealer = new Sealer(collectionRegistration, registry, keys, seat, around.clock());
      register(sealer, collectionRegistration);
      RecordCipher cipher = new RecordCipher(keyring(), one.declared().shape(), sealer);
      sealed.put(one.name(), new SealedRecords(cipher, one.records()));
    }
    return sealed;
  }

  private static void register(Sealer sealer, CollectionRegistration wanted) {
    try {
      if (sealer.register()
          instanceof CollectionRegistry.RegisteredDifferently(CollectionRegistration held)) {
        throw new NotRegistered(
            "%s of %s is registered for keyring %s with id %s and sealed fields %s, not for %s with %s and %s"
                .formatted(
                    wanted.collection(),
                    wanted.engine(),
                    held.keyring(),
                    held.idField(),
                    held.sealedFields(),
                    wanted.keyring(),
                    wanted.idField(),
                    wanted.sealedFields()),
            "declare it as it is registered: a registration stays");
      }
    } catch (MalformedValueException e) {
      throw new NotRegistered(
          "what is stored about %s cannot be read: %s"
              .formatted(wanted.collection(), e.getMessage()),
          "run the newest program that the fleet has");
    } catch (StoreException e) {
      throw new StoreUnavailable(e);
    }
  }
}
