package keyfleet.cli.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.cli.output.CommandException;
import keyfleet.store.StoreRefusedException;

/// The folder of the default store: a SQLite file, for a fleet on one machine.
public record DataFolder(Path path) {
  public static final String VARIABLE = "KEYFLEET_HOME";

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  public static DataFolder of(Map<String, String> environment) {
    return fromVariable(environment, VARIABLE)
        .or(() ->
            fromVariable(environment, "XDG_DATA_HOME").map(folder -> folder.resolve("keyfleet")))
        .or(() ->
            fromVariable(environment, "HOME")
                .map(folder -> folder.resolve(".local/share/keyfleet")))
        .map(DataFolder::new)
        .orElseThrow(() ->
            new CommandException(
                "no store is named, and the default store needs "
                    + VARIABLE
                    + ", XDG_DATA_HOME or HOME",
                "--store sqlite:keyfleet.db"));
  }

  private static Optional<Path> fromVariable(Map<String, String> environment, String variable) {
    String folder = environment.getOrDefault(variable, "");
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
  }

  public String storeUrl() {
    return "sqlite:" + path.resolve("keyfleet.db");
  }

  /// Creates the folder for its owner only. A folder that exists keeps its mode.
  public void create() {
    try {
      Files.createDirectories(path, OWNER_ONLY);
    } catch (IOException e) {
      throw new CommandException(
          "the data folder " + path + " cannot be created",
          "name another folder with " + VARIABLE + ", or a store with --store");
    }
  }

  /// Throws if the folder does not exist, because then there is nothing to read yet.
  public void requireExisting() {
    if (!Files.isDirectory(path)) {
      throw StoreRefusedException.noAccess(
          "there is no store yet: folder " + path + " does not exist",
          "keyfleet kek announce --version=1");
    }
  }
}
