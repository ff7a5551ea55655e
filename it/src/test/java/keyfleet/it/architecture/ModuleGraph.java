package keyfleet.it.architecture;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The rooms of the house and the direction of their arrows.
final class ModuleGraph {
  /// Top to bottom; a room names only rooms on lower lines. ARCHITECTURE.md says what each is for.
  private static final List<String> LAYERS =
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
  private static final String UNRESTRICTED = "sim it bench";

  private static final String PURE = "rollout keyring crypto";

  private static final Pattern MODULE_NAME = Pattern.compile("keyfleet\\.(\\w+)(\\.[a-z]\\w*)?.*");

  private ModuleGraph() {}

  static boolean isPure(SourceFile file) {
    return isIn(PURE, file.module());
  }

  static boolean isUnrestricted(SourceFile file) {
    return isIn(UNRESTRICTED, file.module());
  }

  static boolean isIn(String modules, String module) {
    return List.of(modules.split(" ")).contains(module);
  }

  /// A room is the flat package of its module; only `server` has packages below its own.
  static Stream<RuleViolation> packageLocations(SourceFile file) {
    String own = file.packageName();
    String root = "keyfleet." + file.module();
    boolean flat =
        own.equals(root) || (file.module().equals("server") && own.startsWith(root + "."));
    boolean inPlace = file.folder().matches("\\w+/src/\\w+/java/" + own.replace('.', '/') + "/");
    boolean script = own.isEmpty() && file.folder().equals("tools/");
    return !file.isJava() || script || (flat && inPlace && isModule(file.module()))
        ? Stream.empty()
        : Stream.of(file.violation(1, "package " + own + " is no room of the house, or not here"));
  }

  static Stream<RuleViolation> dependencies(SourceFile file) {
    return file.named(name -> !mayName(file, name), "is not below " + file.packageName());
  }

  private static boolean mayName(SourceFile file, String name) {
    Matcher target = MODULE_NAME.matcher(name);
    if (!target.matches() || !isModule(target.group(1)) || isUnrestricted(file)) {
      return true;
    }
    return target.group(1).equals(file.module())
        ? !isSibling(file.packageName(), target)
        : level(target.group(1)) > level(file.module());
  }

  /// Packages below one room do not know each other: the room joins them.
  private static boolean isSibling(String own, Matcher target) {
    String module = "keyfleet." + target.group(1);
    return target.group(2) != null && !own.equals(module) && !own.equals(module + target.group(2));
  }

  private static boolean isModule(String name) {
    return level(name) >= 0 || isIn(UNRESTRICTED, name);
  }

  /// 0 is the top; -1 is outside.
  private static int level(String module) {
    return IntStream.range(0, LAYERS.size())
        .filter(level -> isIn(LAYERS.get(level), module))
        .findFirst()
        .orElse(-1);
  }
}
