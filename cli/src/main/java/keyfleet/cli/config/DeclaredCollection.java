package keyfleet.cli.config;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.cli.config.ParsedConfig.CollectionEntry;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.CollectionShape;

/// A table or collection of an application that the configuration file assigns to a keyring. It is
/// in the store that `--records` names.
public record DeclaredCollection(KeyringName keyring, CollectionShape shape) {
  private static final String DEFAULT_ID = "id";

  /// A collection that names no keyring belongs to the keyring of the process.
  static List<DeclaredCollection> of(
      List<CollectionEntry> declared, Map<String, String> environment) {
    KeyringName processKeyring = ConfigKeys.KEYRING.find(environment).orElse(KeyringName.MAIN);
    Set<String> names = new HashSet<>();
    for (CollectionEntry entry : declared) {
      if (!names.add(entry.name().text())) {
        throw entry
            .name()
            .rejection(
                entry.name().text() + " is declared twice", "one entry with all its sealed fields");
      }
    }
    return declared.stream().map(it -> of(it, processKeyring)).toList();
  }

  /// The registration that a process writes for this collection before it seals.
  public CollectionRegistration toRegistration(String engine) {
    return new CollectionRegistration(
        keyring,
        engine,
        shape.name(),
        shape.idField(),
        List.copyOf(shape.sealedFields()),
        shape.versionFieldName());
  }

  private static DeclaredCollection of(CollectionEntry entry, KeyringName processKeyring) {
    String name = requireIdentifier(entry.name(), "orders");
    String idField = entry.id() == null ? DEFAULT_ID : requireIdentifier(entry.id(), DEFAULT_ID);
    Set<String> sealedFields = new TreeSet<>();
    for (Setting field : entry.sealed()) {
      if (requireIdentifier(field, "card").equals(idField)) {
        throw field.rejection(
            idField + " is the id field, which is never sealed", "leave it out of sealed");
      }
      if (!sealedFields.add(field.text())) {
        throw field.rejection(field.text() + " appears twice", "keep one of them");
      }
    }
    CollectionShape shape = new CollectionShape(name, idField, new TreeSet<>(sealedFields));
    return new DeclaredCollection(
        entry.keyring() == null ? processKeyring : entry.keyring().toKeyringName(),
        entry.versionField() == null ? shape : withVersionField(shape, entry.versionField()));
  }

  private static CollectionShape withVersionField(CollectionShape shape, Setting setting) {
    String field = requireIdentifier(setting, "kek_version");
    if (field.equals(shape.idField()) || shape.sealedFields().contains(field)) {
      throw setting.rejection(
          field + " is the id field or sealed, so no version can be written there",
          "a column of its own, such as kek_version");
    }
    return shape.withVersionField(field);
  }

  private static String requireIdentifier(Setting setting, String example) {
    if (!CollectionShape.isIdentifier(setting.text())) {
      throw setting.invalidValue(
          "the name of a table or column: letters, digits, _ and -, at most 63 characters, no digit"
              + " first",
          example);
    }
    return setting.text();
  }
}
