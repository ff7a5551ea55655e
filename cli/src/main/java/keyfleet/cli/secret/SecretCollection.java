package keyfleet.cli.secret;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Use;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.FenceMarks;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// The collection that holds the values of `secret`. It rotates like any other collection.
record SecretCollection(CollectionRegistration registration, Records records) {
  private static final String COLLECTION = "keyfleet_secrets";
  private static final String NAME = "name";
  private static final String VALUE = "value";
  private static final CollectionShape SHAPE =
      new CollectionShape(COLLECTION, NAME, new TreeSet<>(List.of(VALUE)))
          .withVersionField("kek_version");

  /// Opens the collection for writing, and creates it for the first secret of the keyring. A later
  /// one must find it: in a new table of another store no rotation would see it. A collection of an
  /// earlier build gains its version field.
  static SecretCollection create(CommandSession session) {
    Keystore keystore = session.requireKeystore();
    if (keystore.identity().use() != Use.RECORDS) {
      throw new CommandException(
          "keyring " + session.keyring() + " is for KMS plugins and cannot seal secrets",
          "--keyring=main");
    }
    CollectionRegistration expected = expectedRegistration(session);
    Optional<SecretCollection> existing = find(session);
    if (existing.isPresent() && existing.get().registration().equals(expected)) {
      return existing.get();
    }
    session.storeConnections().recordsEngine().createCollection(SHAPE);
    return new SecretCollection(
        expected, session.storeConnections().recordsEngine().records(SHAPE));
  }

  /// Opens the collection for reading; empty if no secret was ever stored.
  static Optional<SecretCollection> find(CommandSession session) {
    session.requireKeystore();
    CollectionRegistration expected = expectedRegistration(session);
    List<CollectionRegistration> registered =
        session.collectionRegistry().registrations(session.keyring()).stream()
            .filter(it -> it.collection().equals(COLLECTION))
            .toList();
    if (registered.isEmpty()) {
      return Optional.empty();
    }
    CollectionRegistration existing =
        registered.stream()
            .filter(it -> it.isSameButForVersionField(expected))
            .findFirst()
            .orElseThrow(() ->
                new CommandException(
                    "the secrets of keyring %s are kept in %s"
                        .formatted(session.keyring(), registered.getFirst().engine()),
                    "name that store with --records"));
    // Until the next `secret put` an earlier table may have no version field.
    CollectionShape shape = StoreConnections.toShape(existing);
    return Optional.of(
        new SecretCollection(existing, session.storeConnections().recordsEngine().records(shape)));
  }

  private static CollectionRegistration expectedRegistration(CommandSession session) {
    return new CollectionRegistration(
        session.keyring(),
        session.storeConnections().recordsEngineName(),
        COLLECTION,
        NAME,
        List.of(VALUE),
        SHAPE.versionFieldName());
  }

  Optional<StoredRecord> read(SecretName name) {
    return records.read(recordId(name));
  }

  /// Reads a secret that must exist.
  static StoredRecord require(CommandSession session, SecretName name) {
    return find(session)
        .flatMap(collection -> collection.read(name))
        .orElseThrow(() ->
            CommandException.notFound(
                "there is no secret " + name,
                "keyfleet secret list" + KeyOptions.keyringFlag(session.keyring())));
  }

  static RecordId recordId(SecretName name) {
    return new RecordId(name.value());
  }

  /// The location that the envelope is bound to.
  static FieldLocation fieldLocation(SecretName name) {
    return new FieldLocation(COLLECTION, name.value(), VALUE);
  }

  static SealedFields sealedFields(Bytes envelope) {
    return SealedFields.of(Map.of(VALUE, envelope));
  }

  /// Empty if the record has no value. `secret put` never writes such a record.
  static Optional<Bytes> envelopeBytes(StoredRecord record) {
    return Optional.ofNullable(record.fields().byName().get(VALUE));
  }

  /// Empty if the record or its value is missing, or the value is not an envelope.
  static Optional<Envelope> parseEnvelope(@Nullable StoredRecord record) {
    return Optional.ofNullable(record)
        .flatMap(SecretCollection::envelopeBytes)
        .flatMap(bytes -> Envelope.parse(bytes.toArray()));
  }

  /// Throws if the audit entry was not written: no secret is changed without one.
  static void requireAudited(KeyringName keyring, Result result) {
    switch (result) {
      case Done _, Unchanged _ -> {}
      case Contended _ -> throw OperationReport.contended(keyring);
      case Refused refused ->
          throw CommandException.conditionNotMet(
              "the audit entry could not be written, so nothing was changed: " + refused.reason(),
              "keyfleet audit verify" + KeyOptions.keyringFlag(keyring));
    }
  }

  /// The fence of the collection, as a lease needs it; empty without a fence.
  Map<String, SafeHold.FenceMark> fenceMarks() {
    return records.fence().map(it -> Map.of(COLLECTION, FenceMarks.of(it))).orElse(Map.of());
  }
}
