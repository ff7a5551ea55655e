package keyfleet.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.cli.output.ExitCode;
import keyfleet.kms.PluginTrainingRun;

/// What the launcher runs after a build, so that an AOT cache of the JVM knows the classes that
/// commands need: the way that a command takes from start to exit, in a fleet of one process. What
/// comes of it does not matter.
public final class AotTraining {
  private static final String LOCAL = "local";

  /// By the name of the cache. The JVM loads all classes of a cache at once, so a command should
  /// not find those of many others in its own.
  private static final Map<String, List<String>> COMMANDS =
      Map.of(
          LOCAL,
          List.of("kek verify --local", "--version"),
          "store",
          List.of(
              "kek verify --local",
              "kek verify --target=1 --wait --timeout=20s",
              "kek verify --target=1",
              "kek list",
              "kek status -o json",
              "secret list",
              "--version"));

  private AotTraining() {}

  /// The name of a cache; or `drill` and the socket of a plugin that is in training elsewhere.
  public static void main(String[] args) throws InterruptedException {
    if (args[0].equals("drill")) {
      PluginTrainingRun.run(Path.of(args[1]));
      return;
    }
    Main.warmUp(args[0].equals(LOCAL));
    for (String command : COMMANDS.getOrDefault(args[0], List.of())) {
      int _ = Main.run(command.split(" "));
    }
    Main.exit(ExitCode.OK);
  }
}
