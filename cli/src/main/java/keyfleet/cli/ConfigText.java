package keyfleet.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import keyfleet.cli.ConfigNode.Field;
import keyfleet.cli.ConfigNode.Fields;
import keyfleet.cli.ConfigNode.Items;
import keyfleet.cli.ConfigNode.Word;
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
final class ConfigText {
  /// Twice what our own keys need.
  private static final int DEEPEST = 8;

  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  private final String file;
  private final Iterator<Event> events;

  private ConfigText(String file, String text) {
    this.file = file;
    LoadSettings limits =
        LoadSettings.builder()
            .setCodePointLimit(ConfigFile.MAX_BYTES)
            .setMaxAliasesForCollections(0)
            .build();
    this.events = new Parse(limits).parseString(text).iterator();
  }

  /// What the text holds; no fields if it is empty.
  static Fields read(String file, String text) {
    ConfigText reading = new ConfigText(file, text);
    reading.next(); // the stream begins
    Event first = reading.next();
    if (first.getEventId() == Event.ID.StreamEnd) {
      return new Fields(List.of(), 1);
    }
    ConfigNode root = reading.node(reading.next(), 1);
    reading.next(); // the document ends
    Event last = reading.next();
    if (last.getEventId() != Event.ID.StreamEnd) {
      throw reading.refused(line(last), "a second document begins", "one document in one file");
    }
    return switch (root) {
      case Fields fields -> fields;
      case Word(String nothing, int line) when nothing.isEmpty() -> new Fields(List.of(), line);
      case Word word -> throw reading.noFields(word);
      case Items items -> throw reading.noFields(items);
    };
  }

  private CommandException noFields(ConfigNode root) {
    return refused(root.line(), "a configuration is keys and values", "store: sqlite:keyfleet.db");
  }

  private ConfigNode node(Event event, int depth) {
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

  private Word word(ScalarEvent scalar) {
    refuseExtras(scalar, scalar.getTag().isPresent());
    boolean isNothing = scalar.isPlain() && NOTHING.contains(scalar.getValue());
    return new Word(isNothing ? "" : scalar.getValue(), line(scalar));
  }

  private Items items(SequenceStartEvent start, int depth) {
    refuseExtras(start, start.getTag().isPresent());
    List<ConfigNode> items = new ArrayList<>();
    for (Event event = next(); event.getEventId() != Event.ID.SequenceEnd; event = next()) {
      items.add(node(event, depth + 1));
    }
    return new Items(items, line(start));
  }

  private Fields fields(MappingStartEvent start, int depth) {
    refuseExtras(start, start.getTag().isPresent());
    List<Field> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Event event = next(); event.getEventId() != Event.ID.MappingEnd; event = next()) {
      String name = name(event);
      if (!names.add(name)) {
        throw refused(
            line(event), "the key " + Setting.shown(name) + " is there twice", "keep one of them");
      }
      fields.add(new Field(name, line(event), node(next(), depth + 1)));
    }
    return new Fields(fields, line(start));
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
      int line = e.getProblemMark().map(ConfigText::line).orElse(1);
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
    return event.getStartMark().map(ConfigText::line).orElse(1);
  }

  /// People count from one.
  private static int line(Mark mark) {
    return mark.getLine() + 1;
  }
}
