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
  static SecretCollection made(CommandSession desk) {
    Keystore keystore = desk.keystore();
    if (keystore.identity().use() != Use.RECORDS) {
      throw new CommandException(
          "keyring " + desk.keyring() + " is a plugin's: it seals no secrets", "--keyring=main");
    }
    desk.stores().records().createCollection(SHAPE);
    return new SecretCollection(wanted(desk), desk.stores().records().records(SHAPE));
  }

  /// For who reads. Nothing if no secret was ever put.
  static Optional<SecretCollection> found(CommandSession desk) {
    desk.keystore();
    CollectionRegistration here = wanted(desk);
    List<CollectionRegistration> registered =
        desk.collectionRegistry().registrations(desk.keyring()).stream()
            .filter(it -> it.collection().equals(COLLECTION))
            .toList();
    if (registered.isEmpty()) {
      return Optional.empty();
    }
    if (!registered.contains(here)) {
      throw new CommandException(
          "the secrets of keyring %s are kept in %s"
              .formatted(desk.keyring(), registered.getFirst().engine()),
          "--records with its URL");
    }
    return Optional.of(new SecretCollection(here, desk.stores().records().records(SHAPE)));
  }

  private static CollectionRegistration wanted(CommandSession desk) {
    return new CollectionRegistration(
        desk.keyring(), desk.stores().recordsEngine(), COLLECTION, NAME, List.of(VALUE));
  }

  Optional<StoredRecord> read(SecretName name) {
    return records.read(id(name));
  }

  /// For who cannot do without it.
  static StoredRecord needed(CommandSession desk, SecretName name) {
    return found(desk)
        .flatMap(shelf -> shelf.read(name))
        .orElseThrow(
            () -> CommandException.notFound("there is no secret " + name, "keyfleet secret list"));
  }

  static RecordId id(SecretName name) {
    return new RecordId(name.value());
  }

  /// Bound into the envelope.
  static FieldLocation place(SecretName name) {
    return new FieldLocation(COLLECTION, name.value(), VALUE);
  }

  static SealedFields fields(Bytes envelope) {
    return SealedFields.of(Map.of(VALUE, envelope));
  }

  /// Nothing if the record has no value, which `put` never leaves.
  static Optional<Bytes> envelope(StoredRecord record) {
    return Optional.ofNullable(record.fields().byName().get(VALUE));
  }

  /// Nothing if there is none, or what is there is no envelope.
  static Optional<Envelope> parsed(@Nullable StoredRecord record) {
    return Optional.ofNullable(record)
        .flatMap(SecretCollection::envelope)
        .flatMap(bytes -> Envelope.parse(bytes.toArray()));
  }

  /// Nothing may be done to a secret that the audit does not know of.
  static void audited(Result result) {
    if (result instanceof Refused(String reason)) {
      throw CommandException.unmet(
          "the audit did not take it, so nothing was done: " + reason, "keyfleet audit verify");
    }
  }

  /// Who last fenced it.
  Map<String, SafeHold.FenceMark> fences() {
    return records
        .fence()
        .map(it ->
            Map.of(COLLECTION, new SafeHold.FenceMark(it.term().incarnation(), it.term().epoch())))
        .orElse(Map.of());
  }
}
