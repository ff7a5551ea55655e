package keyfleet.it.architecture;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The modules, and which module may depend on which.
final class ModuleGraph {
  /// Top to bottom: a module depends only on modules of lower lines. ARCHITECTURE.md says what each
  /// module is for.
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
      mongodb nats postgres sqlite awskms
      providers
      wire
      store
      rollout
      keyring
      crypto
      """
          .lines()
          .toList();

  /// These modules may depend on all others, and no other module depends on them.
  private static final String UNRESTRICTED = "sim it bench";

  private static final String PURE = "rollout keyring crypto";

  private static final Pattern MODULE_NAME = Pattern.compile("keyfleet\\.(\\w+).*");

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

  /// A package is that of its module, or lies below it; the file is in the folder of its package.
  static Stream<RuleViolation> packageLocations(SourceFile file) {
    String own = file.packageName();
    String root = "keyfleet." + file.module();
    boolean inModule = own.equals(root) || own.startsWith(root + ".");
    boolean inPlace = file.folder().matches("\\w+/src/\\w+/java/" + own.replace('.', '/') + "/");
    boolean script = own.isEmpty() && file.folder().equals("tools/");
    return !file.isJava() || script || (inModule && inPlace && isModule(file.module()))
        ? Stream.empty()
        : Stream.of(
            file.violation(1, "package " + own + " does not belong to this module and folder"));
  }

  static Stream<RuleViolation> dependencies(SourceFile file) {
    return file.violationsOf(
        name -> !canName(file, name), "is not in a module below " + file.module());
  }

  private static boolean canName(SourceFile file, String name) {
    Matcher target = MODULE_NAME.matcher(name);
    if (!target.matches() || !isModule(target.group(1)) || isUnrestricted(file)) {
      return true;
    }
    return target.group(1).equals(file.module()) || level(target.group(1)) > level(file.module());
  }

  private static boolean isModule(String name) {
    return level(name) >= 0 || isIn(UNRESTRICTED, name);
  }

  /// The top level is 0; a module outside these layers has -1.
  private static int level(String module) {
    return IntStream.range(0, LAYERS.size())
        .filter(level -> isIn(LAYERS.get(level), module))
        .findFirst()
        .orElse(-1);
  }
}
