package keyfleet.member;

import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.NoSuchVersion;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.Refused;
import keyfleet.crypto.RewrapResult;
import keyfleet.crypto.SealResult;
import keyfleet.member.MemberException.ContextMismatch;
import keyfleet.member.MemberException.KeyUnavailable;
import keyfleet.member.MemberException.KeyVersionNotLoaded;
import keyfleet.member.MemberException.LeaseExpired;
import keyfleet.member.MemberException.NotAdmitted;
import keyfleet.member.MemberException.NotRegistered;
import keyfleet.member.Sealer.PermitDenied;
import keyfleet.member.Sealer.PermitGranted;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// Seals the records of one collection, each as a whole: all its sealed fields are under one
/// version, also after a part of them was changed. For any number of threads.
///
/// It reads and writes no store. What it returns is for [keyfleet.store.Records], or for the
/// application's own statements; [SealedRecords] does both.
public final class RecordCipher {
  private final KeyringName keyring;
  private final CollectionShape shape;
  private final Sealer sealer;

  RecordCipher(KeyringName keyring, CollectionShape shape, Sealer sealer) {
    this.keyring = keyring;
    this.shape = shape;
    this.sealer = sealer;
  }

  KeyringName keyring() {
    return keyring;
  }

  public String collection() {
    return shape.name();
  }

  public SortedSet<String> fields() {
    return shape.sealedFields();
  }

  public FieldCipher field(String field) {
    return new FieldCipher(this, location("any", field).field());
  }

  /// A new record. Fields that `values` leaves out are null.
  public StoredRecord seal(String id, PlainFields values) {
    PermitGranted permit = acquirePermit();
    return new StoredRecord(
        new RecordId(id), SealedFields.of(sealEach(permit, id, values.byName())));
  }

  /// Opens every field. The caller closes what it gets.
  public PlainFields open(StoredRecord record) {
    Map<String, Plaintext> values = new TreeMap<>();
    try {
      record
          .fields()
          .byName()
          .forEach((field, bytes) -> {
            FieldLocation place = location(record.id().value(), field);
            values.put(field, open(place, envelope(place, bytes)));
          });
      return PlainFields.of(values);
    } catch (RuntimeException e) {
      values.values().forEach(Plaintext::close);
      throw e;
    }
  }

  /// Gives some fields of a record new values, and moves the others to the same version without
  /// looking into them. To be written by compare-and-set: `asRead` is what the change rests on.
  ///
  /// A field of `asRead` that cannot be moved is a [ContextMismatch]; one that gets a new value is
  /// not looked at.
  public RecordChange change(StoredRecord asRead, PlainFields values) {
    PermitGranted permit = acquirePermit();
    String id = asRead.id().value();
    SortedMap<String, Bytes> fields = new TreeMap<>();
    asRead
        .fields()
        .byName()
        .forEach((field, bytes) -> {
          if (!values.has(field)) {
            FieldLocation place = location(id, field);
            fields.put(field, bytes(rewrap(permit, place, envelope(place, bytes))));
          }
        });
    fields.putAll(sealEach(permit, id, values.byName()));
    return new RecordChange(asRead, SealedFields.of(fields));
  }

  /// Moves every field to the active version, without looking into it.
  public RecordChange rewrap(StoredRecord asRead) {
    return change(asRead, PlainFields.of(Map.of()));
  }

  private Map<String, Bytes> sealEach(
      PermitGranted permit, String id, Map<String, Plaintext> values) {
    Map<String, Bytes> fields = new TreeMap<>();
    values.forEach(
        (field, value) -> fields.put(field, bytes(seal(permit, location(id, field), value))));
    return fields;
  }

  /// Leave to seal under one version, now.
  PermitGranted acquirePermit() {
    return switch (sealer.acquirePermit()) {
      case PermitGranted permitGranted -> permitGranted;
      case PermitDenied(var why) -> throw toException(why);
    };
  }

  Envelope seal(PermitGranted permit, FieldLocation place, Plaintext value) {
    try {
      return switch (permit.cipher().seal(permit.version(), place, value.secret())) {
        case SealResult.Sealed(Envelope envelope) -> envelope;
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  Envelope rewrap(PermitGranted permit, FieldLocation place, Envelope envelope) {
    if (envelope.version().equals(permit.version())) {
      return envelope;
    }
    try {
      return switch (permit.cipher().rewrap(place, envelope, permit.version())) {
        case RewrapResult.Rewrapped(Envelope moved) -> moved;
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
        case Refused() -> throw new ContextMismatch(place);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  Plaintext open(FieldLocation place, Envelope envelope) {
    try {
      return switch (sealer.open(place, envelope)) {
        case OpenResult.Opened(var secret, _) -> Plaintext.owning(secret);
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
        case Refused() -> throw new ContextMismatch(place);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  /// Throws for a field that was not declared: a rotation would not know of it.
  FieldLocation location(String id, String field) {
    if (!shape.sealedFields().contains(field)) {
      throw new IllegalArgumentException(
          "%s is declared with the sealed fields %s, without %s"
              .formatted(shape.name(), shape.sealedFields(), field));
    }
    return new FieldLocation(shape.name(), id, field);
  }

  private static Envelope envelope(FieldLocation place, Bytes bytes) {
    return Envelope.parse(bytes.toArray()).orElseThrow(() -> new ContextMismatch(place));
  }

  private static Bytes bytes(Envelope envelope) {
    return Bytes.copyOf(envelope.toBytes());
  }

  private MemberException toException(SealerResult.Refusal why) {
    return switch (why) {
      case SealerResult.LeaseExpired() -> new LeaseExpired(keyring);
      case SealerResult.NotAdmitted(MembershipState membershipState) ->
          new NotAdmitted(keyring, membershipState);
      case SealerResult.KeyNotLoaded(KekVersion version) ->
          new KeyVersionNotLoaded(keyring, version);
      case SealerResult.NotRegistered(String reason) ->
          new NotRegistered(reason, "declare the collection as it is registered");
      case SealerResult.JustRegistered() ->
          new NotRegistered(
              shape.name() + " was registered a moment ago", "wait for the next heartbeat");
    };
  }
}
