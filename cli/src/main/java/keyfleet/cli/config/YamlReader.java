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

/// Reads a subset of YAML: mappings, sequences and scalars. Anchors, aliases, tags, several
/// documents and deep nesting are refused, so that a file means what it shows.
///
/// This is the only class that uses the YAML parser; a command without a file does not load it.
final class YamlReader {
  /// Twice the depth of the known keys.
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

  /// Parses the text. An empty text is an empty mapping.
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
      throw reader.refusal(line(last), "a second document begins here", "one document in one file");
    }
    return switch (root) {
      case Mapping mapping -> mapping;
      case Scalar(String empty, int line) when empty.isEmpty() -> new Mapping(List.of(), line);
      case Scalar scalar -> throw reader.notAMapping(scalar);
      case Sequence sequence -> throw reader.notAMapping(sequence);
    };
  }

  private CommandException notAMapping(YamlNode root) {
    return refusal(
        root.line(), "a configuration consists of keys and values", "store: sqlite:keyfleet.db");
  }

  private YamlNode readNode(Event event, int depth) {
    if (depth > MAX_DEPTH) {
      throw refusal(line(event), "more than " + MAX_DEPTH + " nested levels", "fewer levels");
    }
    return switch (event) {
      case ScalarEvent scalar -> readScalar(scalar);
      case SequenceStartEvent start -> readSequence(start, depth);
      case MappingStartEvent start -> readMapping(start, depth);
      default ->
          throw refusal(
              line(event), "aliases are not supported", "write out what the alias stands for");
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
    List<Entry> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Event event = nextEvent();
        event.getEventId() != Event.ID.MappingEnd;
        event = nextEvent()) {
      String name = readKey(event);
      if (!names.add(name)) {
        throw refusal(
            line(event),
            "the key " + Setting.printable(name) + " appears twice",
            "keep one of them");
      }
      entries.add(new Entry(name, line(event), readNode(nextEvent(), depth + 1)));
    }
    return new Mapping(entries, line(start));
  }

  private String readKey(Event event) {
    if (!(event instanceof ScalarEvent scalar)) {
      throw refusal(line(event), "a key must be a single value", "store: sqlite:keyfleet.db");
    }
    rejectAnchorAndTag(scalar, scalar.getTag().isPresent());
    return scalar.getValue();
  }

  private void rejectAnchorAndTag(NodeEvent event, boolean isTagged) {
    if (event.getAnchor().isPresent()) {
      throw refusal(
          line(event), "anchors are not supported", "write the value out where it is needed");
    }
    if (isTagged) {
      throw refusal(line(event), "tags are not supported", "leave it out: every value is text");
    }
  }

  /// Any exception of the parser, also one from a defect in it, means that the file is not valid.
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

  /// The parser counts lines from 0, people from 1.
  private static int line(Mark mark) {
    return mark.getLine() + 1;
  }
}
