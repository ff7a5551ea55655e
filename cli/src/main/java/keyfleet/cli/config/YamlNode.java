package keyfleet.cli.config;

import java.util.List;

/// What a configuration file is made of: words, lists and fields, each with its line.
sealed interface YamlNode {
  int line();

  /// Every value is text: what it means is for its key to say.
  record Scalar(String text, int line) implements YamlNode {}

  record Sequence(List<YamlNode> items, int line) implements YamlNode {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /// No two have the same name.
  record Mapping(List<Entry> entries, int line) implements YamlNode {
    public Mapping {
      entries = List.copyOf(entries);
    }
  }

  record Entry(String name, int line, YamlNode value) {}
}
