package keyfleet.cli.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.cli.config.SettingSpec.Arity;
import keyfleet.cli.config.YamlNode.Entry;
import keyfleet.cli.config.YamlNode.Mapping;
import keyfleet.cli.config.YamlNode.Scalar;
import keyfleet.cli.config.YamlNode.Sequence;
import keyfleet.cli.output.CommandException;
import org.jspecify.annotations.Nullable;

/// The values of a configuration file by path, each with its line. Keys are known; values are not
/// checked yet.
record ParsedConfig(Map<String, List<Setting>> values, List<CollectionEntry> collections) {
  /// A collection that a file declares; a field that the file leaves out is null.
  record CollectionEntry(
      Setting name,
      @Nullable Setting id,
      List<Setting> sealed,
      @Nullable Setting versionField,
      @Nullable Setting keyring) {}

  private static final String COLLECTIONS = "collections";
  private static final List<String> COLLECTION_KEYS =
      List.of("name", "id", "sealed", "version-field", "keyring");

  static ParsedConfig of(ConfigFile file) {
    DocumentReader reader = new DocumentReader(file.name());
    reader.readKeys(YamlReader.read(file.name(), file.text()), "");
    return new ParsedConfig(reader.values, reader.collections);
  }

  /// Reads one document. Throws for the first unknown key or wrong kind of value.
  private static final class DocumentReader {
    private final String file;
    private final Map<String, List<Setting>> values = new HashMap<>();
    private final List<CollectionEntry> collections = new ArrayList<>();

    DocumentReader(String file) {
      this.file = file;
    }

    /// `prefix` is the path of the level above, with a trailing dot.
    void readKeys(Mapping mapping, String prefix) {
      for (Entry entry : mapping.entries()) {
        String path = prefix + entry.name();
        Optional<SettingSpec<?>> key = ConfigKeys.fromPath(path);
        if (key.isPresent() && !entry.name().contains(".")) {
          values.put(
              path,
              key.get().arity() != Arity.ONE
                  ? readList(path, entry)
                  : List.of(readSingle(path, entry)));
        } else if (path.equals(COLLECTIONS)) {
          readCollections(entry);
        } else if (ConfigKeys.isGroup(path)) {
          readKeys(requireMapping(path, entry.value(), entry.line()), path + ".");
        } else {
          throw unknownKey(entry, path, prefix);
        }
      }
    }

    private void readCollections(Entry entry) {
      if (!(entry.value() instanceof Sequence(List<YamlNode> items, int _))) {
        throw refusal(
            entry.line(),
            COLLECTIONS + " must be a list",
            "- {name: orders, id: id, sealed: [card]}");
      }
      for (YamlNode item : items) {
        collections.add(readCollection(requireMapping(COLLECTIONS, item, item.line())));
      }
    }

    private CollectionEntry readCollection(Mapping mapping) {
      @Nullable Setting name = null;
      @Nullable Setting id = null;
      @Nullable Setting versionField = null;
      @Nullable Setting keyring = null;
      List<Setting> sealed = List.of();
      for (Entry entry : mapping.entries()) {
        String path = COLLECTIONS + "." + entry.name();
        switch (entry.name()) {
          case "name" -> name = readSingle(path, entry);
          case "id" -> id = readSingle(path, entry);
          case "version-field" -> versionField = readSingle(path, entry);
          case "keyring" -> keyring = readSingle(path, entry);
          case "sealed" -> sealed = readList(path, entry);
          default -> throw unknownKey(entry, path, COLLECTIONS + ".");
        }
      }
      if (name == null || sealed.isEmpty()) {
        throw refusal(
            mapping.line(),
            "a collection needs " + (name == null ? "a name" : "sealed fields"),
            "- {name: orders, id: id, sealed: [card]}");
      }
      return new CollectionEntry(name, id, sealed, versionField, keyring);
    }

    private Setting readSingle(String path, Entry entry) {
      if (!(entry.value() instanceof Scalar scalar)) {
        throw refusal(
            entry.line(), path + " must be one value, not several", "one value for " + path);
      }
      return requireText(path, scalar);
    }

    private List<Setting> readList(String path, Entry entry) {
      if (!(entry.value() instanceof Sequence(List<YamlNode> items, int _)) || items.isEmpty()) {
        throw refusal(entry.line(), path + " must be a list of values", path + ": [ONE, TWO]");
      }
      List<Setting> settings = new ArrayList<>();
      for (YamlNode item : items) {
        if (!(item instanceof Scalar scalar)) {
          throw refusal(item.line(), path + " must be a list of values", path + ": [ONE, TWO]");
        }
        settings.add(requireText(path, scalar));
      }
      return settings;
    }

    private Setting requireText(String path, Scalar scalar) {
      if (scalar.text().isBlank()) {
        throw refusal(scalar.line(), path + " is empty", "a value, or leave " + path + " out");
      }
      return Setting.fromLine(location(scalar.line()), path, scalar.text());
    }

    private Mapping requireMapping(String path, YamlNode value, int line) {
      if (!(value instanceof Mapping mapping)) {
        throw refusal(line, path + " must contain keys", example(path));
      }
      return mapping;
    }

    private static String example(String path) {
      return path.equals(COLLECTIONS)
          ? "- {name: orders, id: id, sealed: [card]}"
          : path + ": {" + String.join(", ", keysBelow(path + ".")) + "}";
    }

    private CommandException unknownKey(Entry entry, String path, String prefix) {
      List<String> keysHere = keysBelow(prefix);
      String suggestion =
          SpellingSuggestion.nearest(entry.name(), keysHere)
              .map(nearest -> prefix + nearest)
              .or(() -> findOnOtherLevel(entry.name()))
              .orElseGet(() -> "one of " + String.join(", ", keysHere));
      return refusal(entry.line(), "unknown key " + Setting.printable(path), suggestion);
    }

    /// Finds a key with this name on another level, or with its levels written into one name.
    private static Optional<String> findOnOtherLevel(String name) {
      return ConfigKeys.paths().stream()
          .filter(path -> path.equals(name) || path.endsWith("." + name))
          .map(path -> path.replace(".", ": {") + (path.contains(".") ? ": …}" : ""))
          .findFirst();
    }

    /// The names of the keys directly below this prefix.
    private static List<String> keysBelow(String prefix) {
      if (prefix.equals(COLLECTIONS + ".")) {
        return COLLECTION_KEYS;
      }
      Stream<String> keys =
          ConfigKeys.paths().stream()
              .filter(path -> path.startsWith(prefix))
              .map(path -> path.substring(prefix.length()).split("\\.", 2)[0]);
      return Stream.concat(keys, prefix.isEmpty() ? Stream.of(COLLECTIONS) : Stream.empty())
          .distinct()
          .toList();
    }

    private CommandException refusal(int line, String message, String remedy) {
      return new CommandException(location(line) + message, remedy);
    }

    private String location(int line) {
      return file + ":" + line + ": ";
    }
  }
}
