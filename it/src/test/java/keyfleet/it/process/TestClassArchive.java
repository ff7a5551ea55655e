package keyfleet.it.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/// An archive of the classes that all JVMs of the tests share. Hundreds of JVMs start, and loading
/// classes is most of the cost of a start.
///
/// An archive accepts only jars, so folders of classes are packed first. If the archive cannot be
/// created, on a machine that is too busy, JVMs start without it.
final class TestClassArchive {
  private static final long LIMIT_SECONDS = 120;
  private static final List<String> OPTIONS = create();

  private TestClassArchive() {}

  /// The class path, and the archive if there is one.
  static List<String> options() {
    return OPTIONS;
  }

  private static List<String> create() {
    try {
      Path folder = Files.createTempDirectory("keyfleet-it");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      List<String> path = List.of("-cp", packClassPath(folder));
      Path archive = folder.resolve("classes.aot");
      train(folder, path, archive);
      List<String> options = new ArrayList<>(path);
      if (Files.exists(archive)) {
        options.add("-XX:AOTCache=" + archive);
      }
      return options;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String packClassPath(Path folder) throws IOException {
    List<String> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      if (Files.isDirectory(path)) {
        Path jar = folder.resolve(jars.size() + ".jar");
        pack(path, jar);
        jars.add(jar.toString());
      } else if (Files.exists(path)) {
        jars.add(entry);
      }
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out);
        Stream<Path> all = Files.walk(classes)) {
      packed.setLevel(0);
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        packed.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, packed);
      }
    }
  }

  private static void train(Path folder, List<String> path, Path archive) throws IOException {
    Path log = folder.resolve("training.log");
    List<String> command = new ArrayList<>(List.of(TestProcess.JAVA));
    command.addAll(TestProcess.JVM);
    command.addAll(path);
    command.add("-XX:AOTCacheOutput=" + archive);
    command.add(ArchiveTraining.class.getName());
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(it -> it.startsWith("KEYFLEET_"));
    builder
        .environment()
        .putAll(
            Map.of(
                "KEYFLEET_STORE", "sqlite:training.db",
                "KEYFLEET_KEK_V1", ProcessFleet.key(1),
                "KEYFLEET_KEK_V2", ProcessFleet.key(2)));
    Process training = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!training.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || training.exitValue() != 0) {
        System.err.println("cannot create the class archive: " + Files.readString(log));
        Files.deleteIfExists(archive);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      var _ = training.destroyForcibly().onExit().join();
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted((one, other) -> other.compareTo(one)).forEach(it -> it.toFile().delete());
    } catch (IOException e) {
      System.err.println("cannot delete " + folder);
    }
  }
}
