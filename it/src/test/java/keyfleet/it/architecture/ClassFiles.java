package keyfleet.it.architecture;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.Predefined;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// Imports the class files of all modules, and of examples.
final class ClassFiles {
  /// The output of protoc and of JMH.
  private static final ImportOption NOT_GENERATED =
      location -> !location.matches(Pattern.compile(".*/(kms/v2|jmh_generated)/.*"));

  private static final ClassFileImporter IMPORTER =
      new ClassFileImporter(List.of(NOT_GENERATED, Predefined.DO_NOT_INCLUDE_PACKAGE_INFOS));

  static {
    // Of the JDK and the libraries, the rules need only supertypes and annotations.
    for (String types : List.of("MemberTypes", "AccessesToTypes", "GenericSignatureTypes")) {
      ArchConfiguration.get()
          .setProperty("import.dependencyResolutionProcess.maxIterationsFor" + types, "0");
    }
  }

  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

  /// Kept, because to read the class path takes longer than to compile an example.
  private static final StandardJavaFileManager LIBRARIES =
      JAVAC.getStandardFileManager(null, null, null);

  private static final Pattern TYPE = Pattern.compile("\\b(?:class|record|interface|enum) (\\w+)");

  private static final String IMPORTS =
      """
      import static keyfleet.control.Failpoint.*;
      import java.security.*; import java.time.*; import java.util.*;
      import java.util.concurrent.*; import java.util.function.*;
      import keyfleet.control.*; import keyfleet.crypto.*; import keyfleet.store.*;
      import org.junit.jupiter.api.*; import org.junit.jupiter.params.*;
      """;

  private ClassFiles() {}

  /// Main and test classes, as Maven compiled them last.
  static JavaClasses ofModules() {
    Path out = Path.of(System.getProperty("keyfleet.out", Repository.root() + "/target"));
    try (Stream<Path> modules = Files.list(out)) {
      return IMPORTER.importPaths(
          modules
              .flatMap(it -> Stream.of(it.resolve("classes"), it.resolve("test-classes")))
              .filter(Files::isDirectory)
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Compiles examples, one `module: code` on a line, as main sources of their modules.
  static JavaClasses ofExamples(String examples, Path folder) {
    List<Path> sources = examples.lines().map(it -> write(it, folder)).toList();
    List<String> options = List.of("-proc:none", "-d", folder.toString());
    var errors = new StringWriter();
    if (!JAVAC
        .getTask(
            errors, LIBRARIES, null, options, null, LIBRARIES.getJavaFileObjectsFromPaths(sources))
        .call()) {
      throw new IllegalArgumentException("not Java: " + errors);
    }
    return IMPORTER.importPath(folder);
  }

  /// The simple name of the first type of an example.
  static String typeOf(String example) {
    return TYPE.matcher(example).results().findFirst().orElseThrow().group(1);
  }

  static boolean isMain(JavaClass type) {
    return type.getSource()
        .filter(it -> !it.getUri().getPath().contains("/test-classes/"))
        .isPresent();
  }

  private static Path write(String example, Path folder) {
    String[] parts = example.replace('¶', '\n').split(": ", 2);
    try {
      Path module = Files.createDirectories(folder.resolve(parts[0]));
      return Files.writeString(
          module.resolve(typeOf(parts[1]) + ".java"),
          "package keyfleet." + parts[0] + ";" + IMPORTS + parts[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
