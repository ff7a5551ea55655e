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
  private static final int MAX_DEPTH = 8;

  private static final Set<String> NULL_WORDS = Set.of("", "~", "null", "Null", "NULL");

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
    YamlReader reader = new YamlReader(file, text);
    reader.nextEvent(); // the stream begins
    Event first = reader.nextEvent();
    if (first.getEventId() == Event.ID.StreamEnd) {
      return new Mapping(List.of(), 1);
    }
    YamlNode root = reader.readNode(reader.nextEvent(), 1);
    reader.nextEvent(); // the document ends
    Event last = reader.nextEvent();
    if (last.getEventId() != Event.ID.StreamEnd) {
      throw reader.refusal(line(last), "a second document begins", "one document in one file");
    }
    return switch (root) {
      case Mapping fields -> fields;
      case Scalar(String empty, int line) when empty.isEmpty() -> new Mapping(List.of(), line);
      case Scalar scalar -> throw reader.notAMapping(scalar);
      case Sequence items -> throw reader.notAMapping(items);
    };
  }

  private CommandException notAMapping(YamlNode root) {
    return refusal(root.line(), "a configuration is keys and values", "store: sqlite:keyfleet.db");
  }

  private YamlNode readNode(Event event, int depth) {
    if (depth > MAX_DEPTH) {
      throw refusal(line(event), "more than " + MAX_DEPTH + " levels are nested", "fewer levels");
    }
    return switch (event) {
      case ScalarEvent scalar -> readScalar(scalar);
      case SequenceStartEvent start -> readSequence(start, depth);
      case MappingStartEvent start -> readMapping(start, depth);
      default ->
          throw refusal(
              line(event), "aliases are not taken", "write out what the alias stands for");
    };
  }

  private Scalar readScalar(ScalarEvent scalar) {
    rejectAnchorAndTag(scalar, scalar.getTag().isPresent());
    boolean isNull = scalar.isPlain() && NULL_WORDS.contains(scalar.getValue());
    return new Scalar(isNull ? "" : scalar.getValue(), line(scalar));
  }

  private Sequence readSequence(SequenceStartEvent start, int depth) {
    rejectAnchorAndTag(start, start.getTag().isPresent());
    List<YamlNode> items = new ArrayList<>();
    for (Event event = nextEvent();
        event.getEventId() != Event.ID.SequenceEnd;
        event = nextEvent()) {
      items.add(readNode(event, depth + 1));
    }
    return new Sequence(items, line(start));
  }

  private Mapping readMapping(MappingStartEvent start, int depth) {
    rejectAnchorAndTag(start, start.getTag().isPresent());
    List<Entry> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Event event = nextEvent();
        event.getEventId() != Event.ID.MappingEnd;
        event = nextEvent()) {
      String name = readKey(event);
      if (!names.add(name)) {
        throw refusal(
            line(event),
            "the key " + Setting.printable(name) + " is there twice",
            "keep one of them");
      }
      fields.add(new Entry(name, line(event), readNode(nextEvent(), depth + 1)));
    }
    return new Mapping(fields, line(start));
  }

  private String readKey(Event event) {
    if (!(event instanceof ScalarEvent scalar)) {
      throw refusal(line(event), "a key is one word", "store: sqlite:keyfleet.db");
    }
    rejectAnchorAndTag(scalar, scalar.getTag().isPresent());
    return scalar.getValue();
  }

  private void rejectAnchorAndTag(NodeEvent event, boolean isTagged) {
    if (event.getAnchor().isPresent()) {
      throw refusal(line(event), "anchors are not taken", "write the value out where it is needed");
    }
    if (isTagged) {
      throw refusal(line(event), "tags are not taken", "leave it out: every value is text");
    }
  }

  /// The parser has several ways to say no, and perhaps a fault or two of its own; each is a file
  /// that is not read.
  private Event nextEvent() {
    try {
      return events.next();
    } catch (MarkedYamlEngineException e) {
      int line = e.getProblemMark().map(YamlReader::line).orElse(1);
      throw notYaml(line, ": " + Setting.printable(String.valueOf(e.getProblem())));
    } catch (RuntimeException e) {
      throw notYaml(1, "");
    }
  }

  private CommandException notYaml(int line, String reason) {
    return refusal(line, "this is not YAML" + reason, "store: sqlite:keyfleet.db");
  }

  private CommandException refusal(int line, String message, String remedy) {
    return new CommandException(file + ":" + line + ": " + message, remedy);
  }

  private static int line(Event event) {
    return event.getStartMark().map(YamlReader::line).orElse(1);
  }

  /// People count from one.
  private static int line(Mark mark) {
    return mark.getLine() + 1;
  }
}
