package keyfleet.it.architecture;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The rooms of the house and the direction of their arrows.
final class ModuleGraph {
  /// Top to bottom; a room names only rooms on lower lines. ARCHITECTURE.md says what each is for.
  private static final List<String> HOUSE =
      """
      cli
      server
      otel
      kube
      kms
      watchdog
      control
      member
      mongodb nats postgres awskms
      providers
      store
      rollout
      keyring
      crypto
      """
          .lines()
          .toList();

  /// They name anything, and no room of the house names them.
  private static final String BESIDE = "sim it bench";

  private static final String PURE = "rollout keyring crypto";

  private static final Pattern IN_ROOM = Pattern.compile("keyfleet\\.(\\w+)(\\.[a-z]\\w*)?.*");

  private ModuleGraph() {}

  static boolean isPure(SourceFile file) {
    return isIn(PURE, file.room());
  }

  static boolean isBeside(SourceFile file) {
    return isIn(BESIDE, file.room());
  }

  static boolean isIn(String rooms, String room) {
    return List.of(rooms.split(" ")).contains(room);
  }

  /// A room is the flat package of its module; only `server` has packages below its own.
  static Stream<RuleViolation> homes(SourceFile file) {
    String own = file.packageName();
    String home = "keyfleet." + file.room();
    boolean flat = own.equals(home) || (file.room().equals("server") && own.startsWith(home + "."));
    boolean inPlace = file.folder().matches("\\w+/src/\\w+/java/" + own.replace('.', '/') + "/");
    boolean script = own.isEmpty() && file.folder().equals("tools/");
    return !file.isJava() || script || (flat && inPlace && isRoom(file.room()))
        ? Stream.empty()
        : Stream.of(file.violation(1, "package " + own + " is no room of the house, or not here"));
  }

  static Stream<RuleViolation> arrows(SourceFile file) {
    return file.named(name -> !mayName(file, name), "is not below " + file.packageName());
  }

  private static boolean mayName(SourceFile file, String name) {
    Matcher target = IN_ROOM.matcher(name);
    if (!target.matches() || !isRoom(target.group(1)) || isBeside(file)) {
      return true;
    }
    return target.group(1).equals(file.room())
        ? !isSibling(file.packageName(), target)
        : level(target.group(1)) > level(file.room());
  }

  /// Packages below one room do not know each other: the room joins them.
  private static boolean isSibling(String own, Matcher target) {
    String room = "keyfleet." + target.group(1);
    return target.group(2) != null && !own.equals(room) && !own.equals(room + target.group(2));
  }

  private static boolean isRoom(String name) {
    return level(name) >= 0 || isIn(BESIDE, name);
  }

  /// 0 is the top; -1 is outside.
  private static int level(String room) {
    return IntStream.range(0, HOUSE.size())
        .filter(level -> isIn(HOUSE.get(level), room))
        .findFirst()
        .orElse(-1);
  }
}
