package keyfleet.cli.config;

import java.util.List;

/// A node of a YAML document with its line.
sealed interface YamlNode {
  int line();

  /// A value. It is always text; the key decides what the text means.
  record Scalar(String text, int line) implements YamlNode {}

  record Sequence(List<YamlNode> items, int line) implements YamlNode {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /// Entries with distinct names.
  record Mapping(List<Entry> entries, int line) implements YamlNode {
    public Mapping {
      entries = List.copyOf(entries);
    }
  }

  record Entry(String name, int line, YamlNode value) {}
}
