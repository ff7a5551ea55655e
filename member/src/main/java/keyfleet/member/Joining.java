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
import keyfleet.member.MemberException.BadSetting;
import keyfleet.member.MemberException.NameTaken;
import keyfleet.member.MemberException.NotAdmitted;
import keyfleet.member.MemberException.NotRegistered;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.member.MemberException.TimingsDiffer;
import keyfleet.member.Standing.Admitted;
import keyfleet.member.Standing.OtherTimings;
import keyfleet.member.Standing.Outside;
import keyfleet.member.Standing.ReadOnly;
import keyfleet.store.Fence;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Records;
import keyfleet.store.StoreException;

/// How a process comes into its fleet: it beats and is not refused, *then* registers its
/// collections, then makes the round whose lease lets it seal into them (ADR 7). One that is
/// refused has registered nothing.
final class Joining {
  /// A round that was not acknowledged, or found the keyring's first key, is made again.
  private static final int ROUNDS = 3;

  /// What a member works with, besides the store and its keys.
  record Surroundings(
      Threads threads, Consumer<MemberEvent> reader, LongSupplier clock, RandomGenerator jitter) {}

  private final Self self;
  private final Membership.Ties ties;
  private final Keyholder keys;
  private final Surroundings around;

  /// A declared collection that is there.
  private record Opened(Declared declared, Records records) {
    String name() {
      return declared.shape().name();
    }
  }

  private final List<Opened> opened = new ArrayList<>();

  Joining(Self self, Membership.Ties ties, Keyholder keys, Surroundings around) {
    this.self = self;
    this.ties = ties;
    this.keys = keys;
    this.around = around;
  }

  Member join(List<Declared> collections) {
    Membership membership = new Membership(self, ties, keys, this::fences, around.clock());
    Diary diary = new Diary(self.instance(), keyring(), around.reader());
    Rounds rounds = rounds(membership, diary);
    Seat seat = new Seat(membership);
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

  private Rounds rounds(Membership membership, Diary diary) {
    Schedule schedule = new Schedule(around.clock(), new Pace(around.jitter()));
    Keystores keystores = new Keystores(ties.kv(), keyring(), ties.nonces());
    return new Rounds(membership, new KeystoreWatch(keystores, schedule::hurry), schedule, diary);
  }

  private KeyringName keyring() {
    return keys.keyring();
  }

  /// An engine refuses a collection that does not exist: it is not registered then, as nobody could
  /// ever count it.
  private void open(List<Declared> collections) {
    for (Declared one : collections) {
      if (opened.stream().anyMatch(it -> it.name().equals(one.shape().name()))) {
        throw new IllegalStateException(one.shape().name() + " is declared twice");
      }
      try {
        opened.add(new Opened(one, one.engine().records(one.shape())));
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

  private void refuse(Round round, Membership membership) {
    StoreException silence = round.silence();
    if (silence != null) {
      throw new StoreUnavailable(silence);
    }
    switch (round.standing()) {
      case Standing.NameTaken _ ->
          throw new NameTaken(self.instance(), membership.timings().fresh());
      case OtherTimings other -> throw new TimingsDiffer(other);
      case Admitted(Keystore keystore, _) -> checkUse(keystore);
      case ReadOnly(Keystore keystore, _) -> checkUse(keystore);
      default -> {}
    }
  }

  private void checkUse(Keystore keystore) {
    if (keystore.identity().use() != Keystore.Use.RECORDS && !opened.isEmpty()) {
      throw new BadSetting(
          "keyring %s is for a KMS plugin, and seals no records".formatted(keyring()),
          "join with a keyring that was announced with --use records");
    }
  }

  private void settle(Rounds rounds, Membership membership) {
    Round round = rounds.run();
    refuse(round, membership);
    for (int i = 1; i < ROUNDS && round.standing() instanceof Outside; i++) {
      round = rounds.run();
      refuse(round, membership);
    }
    if (round.standing() instanceof Outside) {
      throw new NotAdmitted(keyring(), round.standing());
    }
  }

  private Map<String, SealedRecords> register(Seat seat) {
    Registry registry = new Registry(ties.kv(), ties.nonces());
    Map<String, SealedRecords> sealed = new HashMap<>();
    for (Opened one : opened) {
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
      if (sealer.register() instanceof Registry.Taken(CollectionRegistration held)) {
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
