package keyfleet.sim;

import static keyfleet.sim.PlantedBug.inKv;
import static keyfleet.sim.PlantedBug.inRecords;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.Value;

/// Bugs that an implementation of rotations could have. H1 to H8 are the hazards of
/// `docs/internals/key-rules.md`.
final class SwarmRotationBugs {
  private static final PortWrappers NO_FENCE = inRecords(BuggyRecords.NoFence::new, PortUser.STORE);

  private SwarmRotationBugs() {}

  /// The bugs by name.
  static Map<String, PortWrappers> all() {
    Map<String, PortWrappers> bugs = new LinkedHashMap<>();
    bugs.put("no fence", NO_FENCE);
    bugs.put("fence without epoch", inRecords(BuggyRecords.FenceWithoutEpoch::new, PortUser.STORE));
    bugs.put(
        "fence as lower bound", inRecords(BuggyRecords.FenceAsLowerBound::new, PortUser.STORE));
    bugs.put("fence after proof", inRecords(BuggyRecords.NoClosingFence::new, PortUser.WORKER));
    bugs.put("no lease", new StoppedClock());
    bugs.put("sweep skipped", inRecords(BuggyRecords.NoScan::new, PortUser.WORKER));
    bugs.put("proof without counting", inRecords(BuggyRecords.NoCensus::new, PortUser.WORKER));
    bugs.put(
        "lowest version counted",
        inRecords(BuggyRecords.LowestVersionOnly::new, PortUser.WORKER, PortUser.OPERATOR));
    bugs.put("ack before write", inRecords(BuggyRecords.AckBeforeWrite::new, PortUser.STORE));
    bugs.put("rewrap without comparing", inRecords(BuggyRecords.BlindWrite::new, PortUser.WORKER));
    bugs.put(
        "rewrap of the wrong field",
        inRecords(BuggyRecords.FirstFieldEverywhere::new, PortUser.WORKER));
    bugs.put("list before stage", inKv(BuggyKv.ListBeforeStage::new, PortUser.WORKER));
    bugs.put("read before beat", inKv(BuggyKv.ReadBeforeHeartbeat::new, PortUser.MEMBER));
    bugs.put(
        "keystore by put",
        inKv(
            kv -> new BuggyKv.PutInsteadOfUpdate(kv, SwarmRotationBugs::isKeystore),
            EnumSet.complementOf(EnumSet.of(PortUser.STORE)).toArray(PortUser[]::new)));
    bugs.put(
        "H1 paused process",
        new StoppedClock() {
          @Override
          public Records wrapRecords(PortUser user, Records records) {
            return NO_FENCE.wrapRecords(user, records);
          }

          @Override
          public boolean hasWriteLease() {
            return false;
          }
        });
    bugs.put(
        "H2 vacuous gate",
        inKv(kv -> new BuggyKv.FilteredList(kv, SwarmRotationBugs::isNoLaggard), PortUser.WORKER));
    bugs.put(
        "H3 nothing asked at the start",
        inKv(kv -> misread(kv, SwarmRotationBugs::withoutRequiredVersions), PortUser.MEMBER));
    bugs.put(
        "H8 outer version believed",
        inRecords(BuggyRecords.OuterVersion::new, PortUser.WORKER, PortUser.OPERATOR));
    bugs.put("hold unseen by members", inRecords(BuggyRecords.NoMark::new, PortUser.MEMBER));
    bugs.put("hold unseen by workers", inRecords(BuggyRecords.NoMark::new, PortUser.WORKER));
    bugs.put(
        "hold resolved below the fence", inRecords(BuggyRecords.LowerMark::new, PortUser.OPERATOR));
    bugs.put(
        "withdrawn version offered",
        inKv(kv -> misread(kv, SwarmRotationBugs::withWithdrawnAsAnnounced), PortUser.OPERATOR));
    return bugs;
  }

  /// For an application, no time passes.
  private static class StoppedClock implements PortWrappers {
    @Override
    public LongSupplier wrapClock(PortUser user, LongSupplier clock) {
      return user == PortUser.APPLICATION ? () -> 0 : clock;
    }
  }

  static boolean isKeystore(Bucket bucket, Key key) {
    return bucket.name().equals("keystores");
  }

  static Kv misread(Kv kv, UnaryOperator<Keystore> reading) {
    return new BuggyKv.Misread(kv, SwarmRotationBugs::isKeystore, value -> readAs(value, reading));
  }

  /// Only the keystore is misread: the audit that its document carries stays.
  static Value readAs(Value value, UnaryOperator<Keystore> reading) {
    Document stored = Document.parse(value);
    Document read =
        KeystoreDocument.toDocument(
            reading.apply(KeystoreDocument.parse(stored)), stored.text("nonce"));
    return Document.builder()
        .text("id", read.text("id"))
        .number("incarnation", read.number("incarnation"))
        .text("use", read.text("use"))
        .number("epoch", read.number("epoch"))
        .number("active", read.number("active"))
        .numbers("writable", read.numbers("writable"))
        .document("timings", read.document("timings"))
        .document("rotation", read.document("rotation"))
        .document("versions", read.document("versions"))
        .documents("activations", read.documents("activations"))
        .text("nonce", read.text("nonce"))
        .document("audit", stored.document("audit"))
        .build()
        .toValue();
  }

  /// A gate that sees only processes that are ready always passes.
  private static boolean isNoLaggard(Bucket bucket, Entry entry) {
    if (!bucket.name().equals("process_heartbeats")) {
      return true;
    }
    var heartbeat = HeartbeatDocument.parse(entry.value(), entry.writtenAt());
    return heartbeat.loadedVersions().size() > 1;
  }

  /// A withdrawn version may be rotated to.
  static Keystore withWithdrawnAsAnnounced(Keystore keystore) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    versions.replaceAll((_, known) ->
        known.state() == VersionState.WITHDRAWN
            ? new VersionEntry(known.provider(), known.sentinel(), VersionState.ANNOUNCED)
            : known);
    return with(keystore, keystore.rotation(), versions);
  }

  /// A process needs no version but the active one.
  private static Keystore withoutRequiredVersions(Keystore keystore) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    versions.replaceAll((_, known) ->
        known.state() == VersionState.STAGED || known.state() == VersionState.DECRYPT_ONLY
            ? new VersionEntry(known.provider(), known.sentinel(), VersionState.ANNOUNCED)
            : known);
    return with(keystore, keystore.rotation(), versions);
  }

  static Keystore with(
      Keystore keystore, Rotation rotation, SortedMap<KekVersion, VersionEntry> versions) {
    return new Keystore(
        keystore.identity(),
        keystore.epoch(),
        keystore.active(),
        keystore.writable(),
        keystore.timings(),
        rotation,
        versions,
        keystore.activations());
  }
}
