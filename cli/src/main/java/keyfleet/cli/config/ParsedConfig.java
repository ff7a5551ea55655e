package keyfleet.cli.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.cli.config.YamlNode.Entry;
import keyfleet.cli.config.YamlNode.Mapping;
import keyfleet.cli.config.YamlNode.Scalar;
import keyfleet.cli.config.YamlNode.Sequence;
import keyfleet.cli.output.CommandException;
import org.jspecify.annotations.Nullable;

/// What a file sets, by known keys, and nothing judged yet: each value is words with their line.
record ParsedConfig(Map<ConfigKey, List<Setting>> values, List<CollectionEntry> collections) {
  /// A collection that a file declares; what it leaves out is nothing here.
  record CollectionEntry(
      Setting name, @Nullable Setting id, List<Setting> sealed, @Nullable Setting keyring) {}

  private static final String COLLECTIONS = "collections";
  private static final List<String> OF_COLLECTION = List.of("name", "id", "sealed", "keyring");

  static ParsedConfig of(ConfigFile file) {
    DocumentReader reading = new DocumentReader(file.name());
    reading.keys(YamlReader.read(file.name(), file.text()), "");
    return new ParsedConfig(reading.values, reading.collections);
  }

  /// One walk through a file. Throws for the first thing that is not what its key takes.
  private static final class DocumentReader {
    private final String file;
    private final Map<ConfigKey, List<Setting>> values = new EnumMap<>(ConfigKey.class);
    private final List<CollectionEntry> collections = new ArrayList<>();

    DocumentReader(String file) {
      this.file = file;
    }

    /// `above` is the path of the keys above, with a dot behind it.
    void keys(Mapping fields, String above) {
      for (Entry field : fields.fields()) {
        String path = above + field.name();
        Optional<ConfigKey> key = ConfigKey.ofPath(path);
        if (key.isPresent() && !field.name().contains(".")) {
          values.put(key.get(), key.get().isList() ? list(path, field) : List.of(one(path, field)));
        } else if (path.equals(COLLECTIONS)) {
          collections(field);
        } else if (ConfigKey.isGroup(path)) {
          keys(fieldsOf(path, field.value(), field.line()), path + ".");
        } else {
          throw unknown(field, path, above);
        }
      }
    }

    private void collections(Entry field) {
      if (!(field.value() instanceof Sequence(List<YamlNode> items, int _))) {
        throw refused(
            field.line(),
            COLLECTIONS + " is not a list",
            "- {name: orders, id: id, sealed: [card]}");
      }
      for (YamlNode item : items) {
        collections.add(collection(fieldsOf(COLLECTIONS, item, item.line())));
      }
    }

    private CollectionEntry collection(Mapping fields) {
      @Nullable Setting name = null;
      @Nullable Setting id = null;
      @Nullable Setting keyring = null;
      List<Setting> sealed = List.of();
      for (Entry field : fields.fields()) {
        String path = COLLECTIONS + "." + field.name();
        switch (field.name()) {
          case "name" -> name = one(path, field);
          case "id" -> id = one(path, field);
          case "keyring" -> keyring = one(path, field);
          case "sealed" -> sealed = list(path, field);
          default -> throw unknown(field, path, COLLECTIONS + ".");
        }
      }
      if (name == null || sealed.isEmpty()) {
        throw refused(
            fields.line(),
            "a collection needs " + (name == null ? "a name" : "sealed fields"),
            "- {name: orders, id: id, sealed: [card]}");
      }
      return new CollectionEntry(name, id, sealed, keyring);
    }

    private Setting one(String path, Entry field) {
      if (!(field.value() instanceof Scalar word)) {
        throw refused(field.line(), path + " is one value, not several", "one word behind " + path);
      }
      return filled(path, word);
    }

    private List<Setting> list(String path, Entry field) {
      if (!(field.value() instanceof Sequence(List<YamlNode> items, int _)) || items.isEmpty()) {
        throw refused(field.line(), path + " is a list of words", path + ": [ONE, TWO]");
      }
      List<Setting> words = new ArrayList<>();
      for (YamlNode item : items) {
        if (!(item instanceof Scalar word)) {
          throw refused(item.line(), path + " is a list of words", path + ": [ONE, TWO]");
        }
        words.add(filled(path, word));
      }
      return words;
    }

    private Setting filled(String path, Scalar word) {
      if (word.text().isBlank()) {
        throw refused(word.line(), path + " is empty", "a value, or leave " + path + " out");
      }
      return Setting.line(place(word.line()), path, word.text());
    }

    private Mapping fieldsOf(String path, YamlNode value, int line) {
      if (!(value instanceof Mapping fields)) {
        throw refused(line, path + " has keys of its own", example(path));
      }
      return fields;
    }

    private static String example(String path) {
      return path.equals(COLLECTIONS)
          ? "- {name: orders, id: id, sealed: [card]}"
          : path + ": {" + String.join(", ", below(path + ".")) + "}";
    }

    private CommandException unknown(Entry field, String path, String above) {
      List<String> here = below(above);
      String meant =
          SpellingSuggestion.nearest(field.name(), here)
              .map(near -> above + near)
              .or(() -> elsewhere(field.name()))
              .orElseGet(() -> "one of " + String.join(", ", here));
      return refused(field.line(), "there is no key " + Setting.shown(path), meant);
    }

    /// The right name on the wrong level, or levels in one name.
    private static Optional<String> elsewhere(String name) {
      return Arrays.stream(ConfigKey.values())
          .map(ConfigKey::path)
          .filter(path -> path.equals(name) || path.endsWith("." + name))
          .map(path -> path.replace(".", ": {") + (path.contains(".") ? ": …}" : ""))
          .findFirst();
    }

    /// The names of the level below this path.
    private static List<String> below(String above) {
      if (above.equals(COLLECTIONS + ".")) {
        return OF_COLLECTION;
      }
      Stream<String> keys =
          Arrays.stream(ConfigKey.values())
              .map(ConfigKey::path)
              .filter(path -> path.startsWith(above))
              .map(path -> path.substring(above.length()).split("\\.", 2)[0]);
      return Stream.concat(keys, above.isEmpty() ? Stream.of(COLLECTIONS) : Stream.empty())
          .distinct()
          .toList();
    }

    private CommandException refused(int line, String sentence, String remedy) {
      return new CommandException(place(line) + sentence, remedy);
    }

    private String place(int line) {
      return file + ":" + line + ": ";
    }
  }
}
