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
      MemberThreads memberThreads,
      Consumer<MemberEvent> eventSink,
      LongSupplier clock,
      RandomGenerator jitter) {}

  private final ProcessIdentity identity;
  private final Membership.StoreAccess storeAccess;
  private final LoadedKeys keys;
  private final JoinContext context;

  /// A declared collection that is there.
  private record OpenedCollection(CollectionDeclaration declaration, Records records) {
    String name() {
      return declaration.shape().name();
    }
  }

  private final List<OpenedCollection> openedCollection = new ArrayList<>();

  JoinProcedure(
      ProcessIdentity identity,
      Membership.StoreAccess storeAccess,
      LoadedKeys keys,
      JoinContext context) {
    this.identity = identity;
    this.storeAccess = storeAccess;
    this.keys = keys;
    this.context = context;
  }

  Member join(List<CollectionDeclaration> collections) {
    Membership membership =
        new Membership(identity, storeAccess, keys, this::fences, context.clock());
    MemberEventLog eventLog =
        new MemberEventLog(identity.instance(), keyring(), context.eventSink());
    HeartbeatLoop loop = heartbeatLoop(membership, eventLog);
    MembershipHandle handle = new MembershipHandle(membership);
    try {
      openCollections(collections);
      requireAccepted(loop.runRound(), membership);
      Map<String, SealedRecords> sealed = register(handle);
      runRoundsUntilJoined(loop, membership);
      eventLog.reportJoined();
      context.memberThreads().start(loop);
      return new Member(identity.instance(), keys, handle, context.memberThreads(), sealed);
    } catch (RuntimeException e) {
      loop.leave();
      context.memberThreads().stop();
      throw e;
    }
  }

  private HeartbeatLoop heartbeatLoop(Membership membership, MemberEventLog eventLog) {
    HeartbeatSchedule heartbeatSchedule =
        new HeartbeatSchedule(context.clock(), new HeartbeatDelayPolicy(context.jitter()));
    KeystoreStore keystoreStore =
        new KeystoreStore(storeAccess.kv(), keyring(), storeAccess.nonces());
    return new HeartbeatLoop(
        membership,
        new KeystoreWatch(keystoreStore, heartbeatSchedule::bringForward),
        heartbeatSchedule,
        eventLog);
  }

  private KeyringName keyring() {
    return keys.keyring();
  }

  /// An engine refuses a collection that does not exist: it is not registered then, as nobody could
  /// ever count it.
  private void openCollections(List<CollectionDeclaration> collections) {
    for (CollectionDeclaration one : collections) {
      if (openedCollection.stream().anyMatch(it -> it.name().equals(one.shape().name()))) {
        throw new IllegalStateException(one.shape().name() + " is declared twice");
      }
      try {
        openedCollection.add(new OpenedCollection(one, one.engine().records(one.shape())));
      } catch (StoreException e) {
        throw new StoreUnavailable(e);
      }
    }
  }

  /// Who last fenced the collections that this process writes.
  private Map<String, SafeHold.FenceMark> fences() {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    openedCollection.forEach(one ->
        one.records()
            .fence()
            .map(Fence::term)
            .ifPresent(term ->
                fenceMarks.put(
                    one.name(), new SafeHold.FenceMark(term.incarnation(), term.epoch()))));
    return fenceMarks;
  }

  private void requireAccepted(HeartbeatResult result, Membership membership) {
    StoreException silence = result.storeFailure();
    if (silence != null) {
      throw new StoreUnavailable(silence);
    }
    switch (result.state()) {
      case MembershipState.NameTaken _ ->
          throw new NameTaken(identity.instance(), membership.timings().fresh());
      case DifferentTimings other -> throw new TimingsMismatch(other);
      case Admitted(Keystore keystore, _) -> requireKeyringForRecords(keystore);
      case ReadOnly(Keystore keystore, _) -> requireKeyringForRecords(keystore);
      default -> {}
    }
  }

  private void requireKeyringForRecords(Keystore keystore) {
    if (keystore.identity().use() != Keystore.Use.RECORDS && !openedCollection.isEmpty()) {
      throw new InvalidSetting(
          "keyring %s is for a KMS plugin, and seals no records".formatted(keyring()),
          "join with a keyring that was announced with --use records");
    }
  }

  private void runRoundsUntilJoined(HeartbeatLoop loop, Membership membership) {
    HeartbeatResult result = loop.runRound();
    requireAccepted(result, membership);
    for (int i = 1; i < ROUNDS && result.state() instanceof NotJoined; i++) {
      result = loop.runRound();
      requireAccepted(result, membership);
    }
    if (result.state() instanceof NotJoined) {
      throw new NotAdmitted(keyring(), result.state());
    }
  }

  private Map<String, SealedRecords> register(MembershipHandle handle) {
    CollectionRegistry collectionRegistry =
        new CollectionRegistry(storeAccess.kv(), storeAccess.nonces());
    Map<String, SealedRecords> sealed = new HashMap<>();
    for (OpenedCollection one : openedCollection) {
      CollectionRegistration collectionRegistration = one.declaration().registration(keyring());
      Sealer sealer =
          new Sealer(collectionRegistration, collectionRegistry, keys, handle, context.clock());
      register(sealer, collectionRegistration);
      RecordCipher cipher = new RecordCipher(keyring(), one.declaration().shape(), sealer);
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
