package keyfleet.cli.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import keyfleet.cli.config.YamlNode.Entry;
import keyfleet.cli.config.YamlNode.Mapping;
import keyfleet.cli.config.YamlNode.Scalar;
import keyfleet.cli.config.YamlNode.Sequence;
import keyfleet.cli.output.CommandException;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/// Reads a small part of YAML: fields, lists and words. Anchors, aliases, tags, several documents
/// and deep nesting are refused, so a file is never more than it looks like.
///
/// The only class that knows the parser; nobody loads it where there is no file.
final class YamlReader {
  /// Twice what our own keys need.
  private static final int DEEPEST = 8;

  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  private final String file;
  private final Iterator<Event> events;

  private YamlReader(String file, String text) {
    this.file = file;
    LoadSettings limits =
        LoadSettings.builder()
            .setCodePointLimit(ConfigFile.MAX_BYTES)
            .setMaxAliasesForCollections(0)
            .build();
    this.events = new Parse(limits).parseString(text).iterator();
  }

  /// What the text holds; no fields if it is empty.
  static Mapping read(String file, String text) {
    YamlReader reading = new YamlReader(file, text);
    reading.next(); // the stream begins
    Event first = reading.next();
    if (first.getEventId() == Event.ID.StreamEnd) {
      return new Mapping(List.of(), 1);
    }
    YamlNode root = reading.node(reading.next(), 1);
    reading.next(); // the document ends
    Event last = reading.next();
    if (last.getEventId() != Event.ID.StreamEnd) {
      throw reading.refused(line(last), "a second document begins", "one document in one file");
    }
    return switch (root) {
      case Mapping fields -> fields;
      case Scalar(String nothing, int line) when nothing.isEmpty() -> new Mapping(List.of(), line);
      case Scalar word -> throw reading.noFields(word);
      case Sequence items -> throw reading.noFields(items);
    };
  }

  private CommandException noFields(YamlNode root) {
    return refused(root.line(), "a configuration is keys and values", "store: sqlite:keyfleet.db");
  }

  private YamlNode node(Event event, int depth) {
    if (depth > DEEPEST) {
      throw refused(line(event), "more than " + DEEPEST + " levels are nested", "fewer levels");
    }
    return switch (event) {
      case ScalarEvent scalar -> word(scalar);
      case SequenceStartEvent start -> items(start, depth);
      case MappingStartEvent start -> fields(start, depth);
      default ->
          throw refused(
              line(event), "aliases are not taken", "write out what the alias stands for");
    };
  }

  private Scalar word(ScalarEvent scalar) {
    refuseExtras(scalar, scalar.getTag().isPresent());
    boolean isNothing = scalar.isPlain() && NOTHING.contains(scalar.getValue());
    return new Scalar(isNothing ? "" : scalar.getValue(), line(scalar));
  }

  private Sequence items(SequenceStartEvent start, int depth) {
    refuseExtras(start, start.getTag().isPresent());
    List<YamlNode> items = new ArrayList<>();
    for (Event event = next(); event.getEventId() != Event.ID.SequenceEnd; event = next()) {
      items.add(node(event, depth + 1));
    }
    return new Sequence(items, line(start));
  }

  private Mapping fields(MappingStartEvent start, int depth) {
    refuseExtras(start, start.getTag().isPresent());
    List<Entry> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Event event = next(); event.getEventId() != Event.ID.MappingEnd; event = next()) {
      String name = name(event);
      if (!names.add(name)) {
        throw refused(
            line(event), "the key " + Setting.shown(name) + " is there twice", "keep one of them");
      }
      fields.add(new Entry(name, line(event), node(next(), depth + 1)));
    }
    return new Mapping(fields, line(start));
  }

  private String name(Event event) {
    if (!(event instanceof ScalarEvent scalar)) {
      throw refused(line(event), "a key is one word", "store: sqlite:keyfleet.db");
    }
    refuseExtras(scalar, scalar.getTag().isPresent());
    return scalar.getValue();
  }

  private void refuseExtras(NodeEvent event, boolean isTagged) {
    if (event.getAnchor().isPresent()) {
      throw refused(line(event), "anchors are not taken", "write the value out where it is needed");
    }
    if (isTagged) {
      throw refused(line(event), "tags are not taken", "leave it out: every value is text");
    }
  }

  /// The parser has several ways to say no, and perhaps a fault or two of its own; each is a file
  /// that is not read.
  private Event next() {
    try {
      return events.next();
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(YamlReader::line).orElse(1);
      throw notYaml(line, ": " + Setting.shown(String.valueOf(e.getProblem())));
    } catch (RuntimeException e) {
      throw notYaml(1, "");
    }
  }

  private CommandException notYaml(int line, String why) {
    return refused(line, "this is not YAML" + why, "store: sqlite:keyfleet.db");
  }

  private CommandException refused(int line, String sentence, String remedy) {
    return new CommandException(file + ":" + line + ": " + sentence, remedy);
  }

  private static int line(Event event) {
    return event.getStartMark().map(YamlReader::line).orElse(1);
  }

  /// People count from one.
  private static int line(Mark mark) {
    return mark.getLine() + 1;
  }
}
