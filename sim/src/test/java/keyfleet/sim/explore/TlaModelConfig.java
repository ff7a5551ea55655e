package keyfleet.sim.explore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A configuration of a model: a file of `spec/`, optionally with a changed constant or with only
/// one property.
record TlaModelConfig(String name, List<String> lines) {
  static final Path SPEC = Path.of("spec").toAbsolutePath();

  private static final Pattern PROPERTY_LINE =
      Pattern.compile("(INVARIANTS|PROPERTIES|SPECIFICATION) .*");

  TlaModelConfig {
    lines = List.copyOf(lines);
  }

  static TlaModelConfig read(String name) throws IOException {
    return new TlaModelConfig(name, Files.readAllLines(SPEC.resolve(name + ".cfg")));
  }

  /// The TLA+ module that the configuration's name begins with: `RotationJoin` configures
  /// `Rotation`.
  String module() {
    return Stream.of("RolloutSteps", "Rollout", "Rotation", "Plugins")
        .filter(name::startsWith)
        .findFirst()
        .orElseThrow();
  }

  String summary() {
    boolean ends = lines.contains("SPECIFICATION FairSpec");
    return ends ? "safety and liveness hold" : "safety holds";
  }

  /// `constant` is a line of the file, with its value: `Fields = {a}`.
  TlaModelConfig with(String constant) {
    String start = "  " + constant.substring(0, constant.indexOf('=') + 1);
    if (lines.stream().filter(line -> line.startsWith(start)).count() != 1) {
      throw new IllegalArgumentException(name + " has no line" + start);
    }
    return new TlaModelConfig(
        name, lines.stream().map(it -> it.startsWith(start) ? "  " + constant : it).toList());
  }

  /// Only `property` is checked, so that no other is violated first.
  TlaModelConfig withProperty(Property property) {
    List<String> alone = new ArrayList<>(lines);
    alone.removeIf(PROPERTY_LINE.asMatchPredicate());
    alone.addAll(property.lines());
    return new TlaModelConfig(name, alone);
  }

  /// A property of a model, and its kind in TLC.
  enum Property {
    READABLE("Readable", Kind.STATE),
    PROVEN("Proven", Kind.STATE),
    K1("K1", Kind.STATE),
    K2("K2", Kind.STEP),
    HELD("HeldUntilResolved", Kind.STEP),
    OPENS("Opens", Kind.STATE),
    FOLLOWED("Followed", Kind.STATE),
    TRUTHFUL("Truthful", Kind.STATE),
    BOUNDED("Bounded", Kind.STATE),
    APPLIED_IS_STAGED("AppliedIsStaged", Kind.STATE),
    ABORTED_IS_OVER("AbortedIsOver", Kind.STEP),
    IN_ORDER("InOrder", Kind.STEP),
    CONFIRMED_IS_SOAKED("ConfirmedIsSoaked", Kind.STEP),
    ENDS("Ends", Kind.END);

    private enum Kind {
      STATE,
      STEP,
      END
    }

    private final String definition;
    private final Kind kind;

    Property(String definition, Kind kind) {
      this.definition = definition;
      this.kind = kind;
    }

    List<String> lines() {
      return List.of(
          "SPECIFICATION " + (kind == Kind.END ? "FairSpec" : "Spec"),
          (kind == Kind.STATE ? "INVARIANT " : "PROPERTY ") + definition);
    }

    /// TLC's message for a violation; for temporal properties TLC does not name the property.
    String violation() {
      return switch (kind) {
        case STATE -> "Invariant " + definition + " is violated";
        case STEP -> "Action property " + definition + " is violated";
        case END -> "Temporal properties were violated";
      };
    }
  }
}
