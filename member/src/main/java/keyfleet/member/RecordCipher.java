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

/// Seals and opens whole records of one collection. All sealed fields of a record are under one
/// version, even after some of them were changed. Safe for any number of threads.
///
/// It does not access a store. Its results go to [keyfleet.store.Records] or into the application's
/// own statements, which then also write [SealedFields#lowestVersion] into the version field, if
/// the collection has one. [SealedRecords] combines this cipher with the store.
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

  /// Seals a new record. Fields that `values` leaves out are null.
  public StoredRecord seal(String id, PlainFields values) {
    PermitGranted permit = acquirePermit();
    return new StoredRecord(
        new RecordId(id), SealedFields.of(sealEach(permit, id, values.byName())));
  }

  /// Opens every field. The caller closes the result.
  public PlainFields open(StoredRecord record) {
    Map<String, Plaintext> values = new TreeMap<>();
    try {
      record
          .fields()
          .byName()
          .forEach((field, bytes) -> {
            FieldLocation location = location(record.id().value(), field);
            values.put(field, open(location, envelope(location, bytes)));
          });
      return PlainFields.of(values);
    } catch (RuntimeException e) {
      values.values().forEach(Plaintext::close);
      throw e;
    }
  }

  /// Sets new values for some fields of a record, and moves the others to the same version without
  /// opening them. Write the result by compare-and-set with `asRead` as the expected record.
  ///
  /// Throws [ContextMismatch] if a field of `asRead` cannot be moved. Fields that get a new value
  /// are not read.
  public RecordChange change(StoredRecord asRead, PlainFields values) {
    PermitGranted permit = acquirePermit();
    String id = asRead.id().value();
    SortedMap<String, Bytes> fields = new TreeMap<>();
    asRead
        .fields()
        .byName()
        .forEach((field, bytes) -> {
          if (!values.has(field)) {
            FieldLocation location = location(id, field);
            fields.put(field, bytes(rewrap(permit, location, envelope(location, bytes))));
          }
        });
    fields.putAll(sealEach(permit, id, values.byName()));
    return new RecordChange(asRead, SealedFields.of(fields));
  }

  /// Moves every field to the active version without opening it.
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

  /// Permission to seal under one version now. Throws if the process may not seal.
  PermitGranted acquirePermit() {
    return switch (sealer.acquirePermit()) {
      case PermitGranted permitGranted -> permitGranted;
      case PermitDenied(var refusal) -> throw toException(refusal);
    };
  }

  Envelope seal(PermitGranted permit, FieldLocation location, Plaintext value) {
    try {
      return switch (permit.cipher().seal(permit.version(), location, value.secret())) {
        case SealResult.Sealed(Envelope envelope) -> envelope;
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  Envelope rewrap(PermitGranted permit, FieldLocation location, Envelope envelope) {
    if (envelope.version().equals(permit.version())) {
      return envelope;
    }
    try {
      return switch (permit.cipher().rewrap(location, envelope, permit.version())) {
        case RewrapResult.Rewrapped(Envelope moved) -> moved;
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
        case Refused() -> throw new ContextMismatch(location);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  Plaintext open(FieldLocation location, Envelope envelope) {
    try {
      return switch (sealer.open(location, envelope)) {
        case OpenResult.Opened(var secret, _) -> Plaintext.owning(secret);
        case NoSuchVersion(KekVersion version) -> throw new KeyVersionNotLoaded(keyring, version);
        case Refused() -> throw new ContextMismatch(location);
      };
    } catch (KekUnavailableException e) {
      throw new KeyUnavailable(e);
    }
  }

  /// Throws if the field was not declared: a rotation would not move it.
  FieldLocation location(String id, String field) {
    if (!shape.sealedFields().contains(field)) {
      throw new IllegalArgumentException(
          "collection %s is declared with the sealed fields %s, without %s"
              .formatted(shape.name(), shape.sealedFields(), field));
    }
    return new FieldLocation(shape.name(), id, field);
  }

  private static Envelope envelope(FieldLocation location, Bytes bytes) {
    return Envelope.parse(bytes.toArray()).orElseThrow(() -> new ContextMismatch(location));
  }

  private static Bytes bytes(Envelope envelope) {
    return Bytes.copyOf(envelope.toBytes());
  }

  private MemberException toException(SealerResult.Refusal refusal) {
    return switch (refusal) {
      case SealerResult.LeaseExpired() -> new LeaseExpired(keyring);
      case SealerResult.NotAdmitted(MembershipState state) -> new NotAdmitted(keyring, state);
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
