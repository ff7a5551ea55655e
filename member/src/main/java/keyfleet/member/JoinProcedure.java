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
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.NotJoined;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.document.FenceMarks;
import keyfleet.member.document.KeystoreStore;
import keyfleet.member.heartbeat.HeartbeatLoop;
import keyfleet.member.heartbeat.HeartbeatResult;
import keyfleet.member.heartbeat.HeartbeatSchedule;
import keyfleet.member.heartbeat.KeystoreWatch;
import keyfleet.member.heartbeat.MemberEventLog;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.member.process.ProcessEvent;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Records;
import keyfleet.store.StoreException;

/// The steps by which a process joins its fleet. It writes a heartbeat and is not refused; *then*
/// it registers its collections and itself; then it runs the round whose lease lets it seal into
/// them (ADR 7). A process that is refused has registered nothing.
final class JoinProcedure {
  /// Rounds at most until the process has joined. A round repeats if its heartbeat was not
  /// acknowledged or if it found the keyring's first key.
  private static final int ROUNDS = 3;

  /// What a member works with, besides the store and its keys.
  record JoinContext(
      MemberThreads threads,
      Consumer<ProcessEvent> eventSink,
      LongSupplier clock,
      RandomGenerator jitter,
      Membership.CurrentVersion currentVersion,
      MemberEventLog.WithoutLease withoutLease,
      Consumer<String> registration) {}

  private final ProcessIdentity identity;
  private final Membership.StoreAccess storeAccess;
  private final LoadedKeys keys;
  private final JoinContext context;

  /// A declared collection that exists.
  private record OpenedCollection(CollectionDeclaration declaration, Records records) {
    String name() {
      return declaration.shape().name();
    }
  }

  private final List<OpenedCollection> openedCollections = new ArrayList<>();

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
        new Membership(identity, storeAccess, keys, this::fences, context.clock())
            .reportCurrent(context.currentVersion());
    MemberEventLog eventLog =
        new MemberEventLog(
            identity.instance(), keyring(), context.eventSink(), context.withoutLease());
    HeartbeatLoop loop = heartbeatLoop(membership, eventLog);
    try {
      openCollections(collections);
      requireAccepted(loop.runRound(), membership);
      Map<String, SealedRecords> sealed = registerCollections(membership);
      context.registration().accept(identity.instance());
      runRoundsUntilJoined(loop, membership);
      eventLog.reportJoined();
      context.threads().start(loop);
      return new Member(identity.instance(), keys, membership, context.threads(), sealed);
    } catch (RuntimeException e) {
      loop.leave();
      context.threads().stop();
      throw e;
    }
  }

  private HeartbeatLoop heartbeatLoop(Membership membership, MemberEventLog eventLog) {
    HeartbeatSchedule schedule = new HeartbeatSchedule(context.clock(), context.jitter());
    KeystoreStore keystoreStore =
        new KeystoreStore(storeAccess.kv(), keyring(), storeAccess.nonces());
    return new HeartbeatLoop(
        membership, new KeystoreWatch(keystoreStore, schedule::bringForward), schedule, eventLog);
  }

  private KeyringName keyring() {
    return keys.keyring();
  }

  /// An engine refuses a collection that does not exist. It is then not registered, because a
  /// rotation could never count its records.
  private void openCollections(List<CollectionDeclaration> collections) {
    for (CollectionDeclaration declaration : collections) {
      if (openedCollections.stream().anyMatch(it -> it.name().equals(declaration.shape().name()))) {
        throw new IllegalStateException(
            "collection " + declaration.shape().name() + " is declared twice");
      }
      openedCollections.add(open(declaration));
    }
  }

  private static OpenedCollection open(CollectionDeclaration declaration) {
    try {
      return new OpenedCollection(declaration, declaration.engine().records(declaration.shape()));
    } catch (StoreException e) {
      throw new StoreUnavailable(e);
    }
  }

  /// The last fence of each collection that this process writes.
  private Map<String, SafeHold.FenceMark> fences() {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    openedCollections.forEach(collection ->
        collection
            .records()
            .fence()
            .ifPresent(it -> fenceMarks.put(collection.name(), FenceMarks.of(it))));
    return fenceMarks;
  }

  private void requireAccepted(HeartbeatResult result, Membership membership) {
    StoreException failure = result.storeFailure();
    if (failure != null) {
      throw new StoreUnavailable(failure);
    }
    switch (result.state()) {
      case MembershipState.NameTaken _ ->
          throw new NameTaken(identity.instance(), membership.timings().fresh());
      case DifferentTimings other -> throw new TimingsMismatch(other);
      case MembershipState other ->
          other.trustedKeystore().ifPresent(this::requireKeyringForRecords);
    }
  }

  private void requireKeyringForRecords(Keystore keystore) {
    if (keystore.identity().use() != Keystore.Use.RECORDS && !openedCollections.isEmpty()) {
      throw new InvalidSetting(
          "keyring %s is for a KMS plugin and cannot seal records".formatted(keyring()),
          "use a keyring that was announced with --use records");
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

  private Map<String, SealedRecords> registerCollections(Membership membership) {
    CollectionRegistry registry = new CollectionRegistry(storeAccess.kv(), storeAccess.nonces());
    Map<String, SealedRecords> sealed = new HashMap<>();
    for (OpenedCollection collection : openedCollections) {
      sealed.put(collection.name(), register(collection, registry, membership));
    }
    return sealed;
  }

  /// A process that declares no version field takes the one that another process has registered, so
  /// that their files can change one after the other.
  private SealedRecords register(
      OpenedCollection collection, CollectionRegistry registry, Membership membership) {
    CollectionDeclaration declaration = collection.declaration();
    CollectionRegistration wanted = declaration.registration(keyring());
    Sealer sealer = new Sealer(wanted, registry, keys, membership::state, context.clock());
    if (register(sealer, wanted)
        instanceof CollectionRegistry.RegisteredDifferently(CollectionRegistration existing)) {
      String field = existing.versionField().orElse(null);
      if (field == null
          || wanted.versionField().isPresent()
          || !existing.isSameButForVersionField(wanted)) {
        throw registeredDifferently(existing, wanted);
      }
      return register(open(declaration.withVersionField(field)), registry, membership);
    }
    RecordCipher cipher = new RecordCipher(keyring(), declaration.shape(), sealer);
    return new SealedRecords(cipher, collection.records());
  }

  private static CollectionRegistry.Outcome register(Sealer sealer, CollectionRegistration wanted) {
    try {
      return sealer.register();
    } catch (MalformedValueException e) {
      throw new NotRegistered(
          "the registration of collection %s cannot be read: %s"
              .formatted(wanted.collection(), e.getMessage()),
          "update this program to the newest version in the fleet");
    } catch (StoreException e) {
      throw new StoreUnavailable(e);
    }
  }

  private static NotRegistered registeredDifferently(
      CollectionRegistration existing, CollectionRegistration wanted) {
    return new NotRegistered(
        "collection %s of %s is registered for keyring %s with id %s, sealed fields %s and version field %s, not for %s with %s, %s and %s"
            .formatted(
                wanted.collection(),
                wanted.engine(),
                existing.keyring(),
                existing.idField(),
                existing.sealedFields(),
                existing.versionField().orElse("none"),
                wanted.keyring(),
                wanted.idField(),
                wanted.sealedFields(),
                wanted.versionField().orElse("none")),
        "declare it as it is registered: a registration can gain a version field, and changes in"
            + " no other way");
  }
}
