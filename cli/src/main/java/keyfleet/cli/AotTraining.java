package keyfleet.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import keyfleet.cli.output.ExitCode;
import keyfleet.kms.PluginTrainingRun;

/// Runs typical commands after a build, so that the JVM can write an AOT cache with the classes
/// they load. The launcher starts it in a fleet of one process; results and exit codes are ignored.
public final class AotTraining {
  private static final String LOCAL = "local";

  /// The commands that fill each cache, by cache name. The JVM loads all classes of a cache at
  /// once, so each cache holds only what its commands need.
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

  /// The arguments are the name of a cache; or `drill` and the socket of a running plugin, which
  /// then gets calls to write its own cache.
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
