package keyfleet.cli;

import java.util.List;

/// What a configuration file is made of: words, lists and fields, each with its line.
sealed interface ConfigNode {
  int line();

  /// Every value is text: what it means is for its key to say.
  record Word(String text, int line) implements ConfigNode {}

  record Items(List<ConfigNode> items, int line) implements ConfigNode {
    public Items {
      items = List.copyOf(items);
    }
  }

  /// No two have the same name.
  record Fields(List<Field> fields, int line) implements ConfigNode {
    public Fields {
      fields = List.copyOf(fields);
    }
  }

  record Field(String name, int line, ConfigNode value) {}
}
