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

/// Where the store of a fleet on one machine is kept, unless another is named.
public record DataFolder(Path path) {
  public static final String VARIABLE = "KEYFLEET_HOME";

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  public static DataFolder of(Map<String, String> environment) {
    return fromVariable(environment, VARIABLE)
        .or(() -> fromVariable(environment, "XDG_DATA_HOME").map(it -> it.resolve("keyfleet")))
        .or(() -> fromVariable(environment, "HOME").map(it -> it.resolve(".local/share/keyfleet")))
        .map(DataFolder::new)
        .orElseThrow(() ->
            new CommandException(
                "no store is named, and there is no home folder to keep one in",
                "--store sqlite:keyfleet.db"));
  }

  private static Optional<Path> fromVariable(Map<String, String> environment, String variable) {
    String folder = environment.getOrDefault(variable, "");
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder));
  }

  public String storeUrl() {
    return "sqlite:" + path.resolve("keyfleet.db");
  }

  /// For a command that begins something. A folder that exists stays as it is.
  public void create() {
    try {
      Files.createDirectories(path, OWNER_ONLY);
    } catch (IOException e) {
      throw new CommandException(
          "the data folder " + path + " cannot be made", VARIABLE + "=DIR, or --store URL");
    }
  }

  /// For a command that finds something. Throws if nobody began.
  public void requireExisting() {
    if (!Files.isDirectory(path)) {
      throw StoreRefusedException.noAccess(
          "there is no store yet: no folder " + path,
          "keyfleet kek announce --version=1, which makes it, or --store URL");
    }
  }
}
