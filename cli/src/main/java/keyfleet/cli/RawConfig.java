package keyfleet.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.cli.ConfigNode.Field;
import keyfleet.cli.ConfigNode.Fields;
import keyfleet.cli.ConfigNode.Items;
import keyfleet.cli.ConfigNode.Word;
import org.jspecify.annotations.Nullable;

/// What a file sets, by known keys, and nothing judged yet: each value is words with their line.
record RawConfig(Map<ConfigKey, List<Setting>> values, List<RawCollection> collections) {
  /// A collection that a file declares; what it leaves out is nothing here.
  record RawCollection(
      Setting name, @Nullable Setting id, List<Setting> sealed, @Nullable Setting keyring) {}

  private static final String COLLECTIONS = "collections";
  private static final List<String> OF_COLLECTION = List.of("name", "id", "sealed", "keyring");

  static RawConfig of(ConfigFile file) {
    Reading reading = new Reading(file.name());
    reading.keys(ConfigText.read(file.name(), file.text()), "");
    return new RawConfig(reading.values, reading.collections);
  }

  /// One walk through a file. Throws for the first thing that is not what its key takes.
  private static final class Reading {
    private final String file;
    private final Map<ConfigKey, List<Setting>> values = new EnumMap<>(ConfigKey.class);
    private final List<RawCollection> collections = new ArrayList<>();

    Reading(String file) {
      this.file = file;
    }

    /// `above` is the path of the keys above, with a dot behind it.
    void keys(Fields fields, String above) {
      for (Field field : fields.fields()) {
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

    private void collections(Field field) {
      if (!(field.value() instanceof Items(List<ConfigNode> items, int _))) {
        throw refused(
            field.line(),
            COLLECTIONS + " is not a list",
            "- {name: orders, id: id, sealed: [card]}");
      }
      for (ConfigNode item : items) {
        collections.add(collection(fieldsOf(COLLECTIONS, item, item.line())));
      }
    }

    private RawCollection collection(Fields fields) {
      @Nullable Setting name = null;
      @Nullable Setting id = null;
      @Nullable Setting keyring = null;
      List<Setting> sealed = List.of();
      for (Field field : fields.fields()) {
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
      return new RawCollection(name, id, sealed, keyring);
    }

    private Setting one(String path, Field field) {
      if (!(field.value() instanceof Word word)) {
        throw refused(field.line(), path + " is one value, not several", "one word behind " + path);
      }
      return filled(path, word);
    }

    private List<Setting> list(String path, Field field) {
      if (!(field.value() instanceof Items(List<ConfigNode> items, int _)) || items.isEmpty()) {
        throw refused(field.line(), path + " is a list of words", path + ": [ONE, TWO]");
      }
      List<Setting> words = new ArrayList<>();
      for (ConfigNode item : items) {
        if (!(item instanceof Word word)) {
          throw refused(item.line(), path + " is a list of words", path + ": [ONE, TWO]");
        }
        words.add(filled(path, word));
      }
      return words;
    }

    private Setting filled(String path, Word word) {
      if (word.text().isBlank()) {
        throw refused(word.line(), path + " is empty", "a value, or leave " + path + " out");
      }
      return Setting.line(place(word.line()), path, word.text());
    }

    private Fields fieldsOf(String path, ConfigNode value, int line) {
      if (!(value instanceof Fields fields)) {
        throw refused(line, path + " has keys of its own", example(path));
      }
      return fields;
    }

    private static String example(String path) {
      return path.equals(COLLECTIONS)
          ? "- {name: orders, id: id, sealed: [card]}"
          : path + ": {" + String.join(", ", below(path + ".")) + "}";
    }

    private CommandException unknown(Field field, String path, String above) {
      List<String> here = below(above);
      String meant =
          Spelling.nearest(field.name(), here)
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
