package keyfleet.cli;

import java.util.List;

/// What the launcher runs once after a build, so that the JVM's AOT cache knows the classes that
/// commands need. What comes of the commands does not matter.
public final class Training {
  private static final List<String> COMMANDS =
      List.of(
          "kek verify --local",
          "kek announce --version=1",
          "kek verify --target=1",
          "kek list",
          "kek status -o json",
          "secret list",
          "--version");

  private Training() {}

  public static void main(String[] args) {
    for (String command : COMMANDS) {
      int _ = Main.run(command.split(" "));
    }
  }
}
