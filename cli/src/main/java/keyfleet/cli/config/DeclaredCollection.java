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

/// A table or collection of an application's that a file hands to a keyring. It lies in the records
/// store.
public record DeclaredCollection(KeyringName keyring, CollectionShape shape) {
  private static final String USUAL_ID = "id";

  /// Without a word on it, a collection belongs to the keyring that the process is set up for.
  static List<DeclaredCollection> of(
      List<CollectionEntry> declared, Map<String, String> environment) {
    KeyringName own =
        Setting.of(ConfigKey.KEYRING, environment).map(Setting::keyring).orElse(KeyringName.MAIN);
    Set<String> names = new HashSet<>();
    for (CollectionEntry one : declared) {
      if (!names.add(one.name().text())) {
        throw one.name()
            .wrong(
                one.name().text() + " is declared twice", "one entry with all its sealed fields");
      }
    }
    return declared.stream().map(it -> of(it, own)).toList();
  }

  /// As a process would enter it that seals into it.
  public CollectionRegistration registration(String engine) {
    return new CollectionRegistration(
        keyring, engine, shape.name(), shape.idField(), List.copyOf(shape.sealedFields()));
  }

  private static DeclaredCollection of(CollectionEntry raw, KeyringName own) {
    String name = identifier(raw.name());
    String id = raw.id() == null ? USUAL_ID : identifier(raw.id());
    Set<String> sealed = new TreeSet<>();
    for (Setting field : raw.sealed()) {
      if (identifier(field).equals(id)) {
        throw field.wrong(id + " is the id, and an id is never sealed", "leave it out of sealed");
      }
      if (!sealed.add(field.text())) {
        throw field.wrong(field.text() + " is there twice", "keep one of them");
      }
    }
    return new DeclaredCollection(
        raw.keyring() == null ? own : raw.keyring().keyring(),
        new CollectionShape(name, id, new TreeSet<>(sealed)));
  }

  private static String identifier(Setting setting) {
    if (!CollectionShape.isIdentifier(setting.text())) {
      throw setting.isNot(
          "the name of a table or column: letters, digits, _ and -, at most 63, no digit first",
          "orders");
    }
    return setting.text();
  }
}
