package keyfleet.it.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.stream.IntStream;

/// The modules, which module may depend on which, and the libraries of each. A module is known by
/// its package.
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

  /// These modules may depend on all others, and no other module depends on them. Their tests may
  /// use every library.
  private static final String UNRESTRICTED = "sim it bench";

  private static final String PURE = "rollout keyring crypto";

  /// The modules that may use each library.
  private static final List<Library> LIBRARIES =
      """
      picocli org.snakeyaml: cli
      io.grpc: kube kms
      io.netty: kube kms mongodb
      com.mongodb org.bson: mongodb bench
      io.nats: nats bench
      org.postgresql com.zaxxer: postgres bench
      software.amazon: awskms
      io.prometheus: server kms
      io.opentelemetry: otel
      org.sqlite: sqlite
      tools.jackson com.fasterxml: cli server kube kms control member mongodb nats postgres providers sqlite wire store
      """
          .lines()
          .map(Library::parse)
          .toList();

  static final DescribedPredicate<JavaClass> PURE_MODULES =
      describe("are in a pure module", type -> isIn(PURE, moduleOf(type)));

  static final DescribedPredicate<Dependency> DEPENDENCIES_DOWNWARD =
      describe(
          "lead to a module below, or outside the modules",
          it -> canUse(moduleOf(it.getOriginClass()), moduleOf(it.getTargetClass())));

  static final DescribedPredicate<Dependency> ALLOWED_LIBRARIES =
      describe(
          "lead to a library of this module, as ModuleGraph lists them",
          it -> canUseLibrary(it.getOriginClass(), it.getTargetClass()));

  private record Library(List<String> packages, String modules) {
    static Library parse(String line) {
      String[] parts = line.split(": ", 2);
      return new Library(List.of(parts[0].split(" ")), parts[1]);
    }

    boolean contains(String type) {
      return packages.stream().anyMatch(it -> type.startsWith(it + "."));
    }
  }

  private ModuleGraph() {}

  private static boolean canUse(String module, String target) {
    return isIn(UNRESTRICTED, module)
        || target.isEmpty()
        || target.equals(module)
        || level(target) > level(module);
  }

  private static boolean canUseLibrary(JavaClass user, JavaClass target) {
    String module = moduleOf(user);
    if (isIn(UNRESTRICTED, module) && !ClassFiles.isMain(user)) {
      return true;
    }
    String type = target.getBaseComponentType().getName();
    return LIBRARIES.stream()
        .filter(library -> library.contains(type))
        .allMatch(library -> isIn(library.modules, module));
  }

  /// Empty for a class outside the modules.
  private static String moduleOf(JavaClass type) {
    String[] packages = type.getBaseComponentType().getPackageName().split("\\.", 3);
    boolean isOurs = packages.length > 1 && packages[0].equals("keyfleet");
    return isOurs ? packages[1] : "";
  }

  private static boolean isIn(String modules, String module) {
    return List.of(modules.split(" ")).contains(module);
  }

  /// The top level is 0; an unrestricted module has -1.
  private static int level(String module) {
    return IntStream.range(0, LAYERS.size())
        .filter(level -> isIn(LAYERS.get(level), module))
        .findFirst()
        .orElse(-1);
  }
}
