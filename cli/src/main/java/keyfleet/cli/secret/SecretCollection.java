package keyfleet.cli.secret;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.CommandException;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.FieldLocation;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Keystore.Use;
import keyfleet.keyring.SafeHold;
import keyfleet.store.Bytes;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// The collection in which `secret` keeps its values: one that rotates as any other.
record SecretCollection(CollectionRegistration collectionRegistration, Records records) {
  private static final String COLLECTION = "keyfleet_secrets";
  private static final String NAME = "name";
  private static final String VALUE = "value";
  private static final CollectionShape SHAPE =
      new CollectionShape(COLLECTION, NAME, new TreeSet<>(List.of(VALUE)));

  /// For who writes: made if need be.
  static SecretCollection create(CommandSession session) {
    Keystore keystore = session.requireKeystore();
    if (keystore.identity().use() != Use.RECORDS) {
      throw new CommandException(
          "keyring " + session.keyring() + " is a plugin's: it seals no secrets", "--keyring=main");
    }
    session.storeConnections().recordsEngine().createCollection(SHAPE);
    return new SecretCollection(
        expectedRegistration(session), session.storeConnections().recordsEngine().records(SHAPE));
  }

  /// For who reads. Nothing if no secret was ever put.
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
    if (!registered.contains(expected)) {
      throw new CommandException(
          "the secrets of keyring %s are kept in %s"
              .formatted(session.keyring(), registered.getFirst().engine()),
          "--records with its URL");
    }
    return Optional.of(
        new SecretCollection(expected, session.storeConnections().recordsEngine().records(SHAPE)));
  }

  private static CollectionRegistration expectedRegistration(CommandSession session) {
    return new CollectionRegistration(
        session.keyring(),
        session.storeConnections().recordsEngineName(),
        COLLECTION,
        NAME,
        List.of(VALUE));
  }

  Optional<StoredRecord> read(SecretName name) {
    return records.read(recordId(name));
  }

  /// For who cannot do without it.
  static StoredRecord require(CommandSession session, SecretName name) {
    return find(session)
        .flatMap(collection -> collection.read(name))
        .orElseThrow(
            () -> CommandException.notFound("there is no secret " + name, "keyfleet secret list"));
  }

  static RecordId recordId(SecretName name) {
    return new RecordId(name.value());
  }

  /// Bound into the envelope.
  static FieldLocation fieldLocation(SecretName name) {
    return new FieldLocation(COLLECTION, name.value(), VALUE);
  }

  static SealedFields sealedFields(Bytes envelope) {
    return SealedFields.of(Map.of(VALUE, envelope));
  }

  /// Nothing if the record has no value, which `put` never leaves.
  static Optional<Bytes> envelopeBytes(StoredRecord record) {
    return Optional.ofNullable(record.fields().byName().get(VALUE));
  }

  /// Nothing if there is none, or what is there is no envelope.
  static Optional<Envelope> parseEnvelope(@Nullable StoredRecord record) {
    return Optional.ofNullable(record)
        .flatMap(SecretCollection::envelopeBytes)
        .flatMap(bytes -> Envelope.parse(bytes.toArray()));
  }

  /// Nothing may be done to a secret that the audit does not know of.
  static void requireAudited(Result result) {
    if (result instanceof Refused(String reason)) {
      throw CommandException.conditionNotMet(
          "the audit did not take it, so nothing was done: " + reason, "keyfleet audit verify");
    }
  }

  /// Who last fenced it.
  Map<String, SafeHold.FenceMark> fenceMarks() {
    return records
        .fence()
        .map(it ->
            Map.of(COLLECTION, new SafeHold.FenceMark(it.term().incarnation(), it.term().epoch())))
        .orElse(Map.of());
  }
}
