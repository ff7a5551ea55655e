package keyfleet.cli.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Every setting with its path in the file and its environment variable, which wins over the file.
///
/// Collections are not here: each has several fields, and only a file can declare them.
public enum ConfigKey {
  STORE("store", "KEYFLEET_STORE"),
  RECORDS("records", "KEYFLEET_RECORDS"),
  KEYRING("keyring", "KEYFLEET_KEYRING"),
  PROVIDERS("providers", "KEYFLEET_PROVIDER"),
  INSTANCE("instance", "KEYFLEET_INSTANCE"),
  HEARTBEAT("timings.heartbeat", "KEYFLEET_TIMING_HEARTBEAT"),
  FRESH("timings.fresh", "KEYFLEET_TIMING_FRESH"),
  LEASE("timings.lease", "KEYFLEET_TIMING_LEASE"),
  EXPIRE("timings.expire", "KEYFLEET_TIMING_EXPIRE"),
  ADOPT("timings.adopt", "KEYFLEET_TIMING_ADOPT"),
  ROLES("server.roles", "KEYFLEET_SERVER__ROLES"),
  LISTEN("server.listen", "KEYFLEET_SERVER__LISTEN"),
  LOG_FORMAT("server.log-format", "KEYFLEET_SERVER__LOG_FORMAT"),
  RATE("rotation.rate", "KEYFLEET_ROTATION__RATE"),
  MIN_PROCESSES("rotation.min-processes", "KEYFLEET_ROTATION__MIN_PROCESSES"),
  EXPECTED("rotation.expected", "KEYFLEET_ROTATION__EXPECTED"),
  BACKUP_HORIZON("backup-horizon", "KEYFLEET_BACKUP_HORIZON");

  private final String path;
  private final String variable;

  ConfigKey(String path, String variable) {
    this.path = path;
    this.variable = variable;
  }

  static Optional<ConfigKey> fromPath(String path) {
    return Arrays.stream(values()).filter(key -> key.path.equals(path)).findFirst();
  }

  static boolean isVariable(String name) {
    return Arrays.stream(values()).anyMatch(key -> key.variable.equals(name));
  }

  /// Whether the path has keys below it.
  static boolean isGroup(String path) {
    return Arrays.stream(values()).anyMatch(key -> key.path.startsWith(path + "."));
  }

  static List<String> variables() {
    return Arrays.stream(values()).map(ConfigKey::variable).toList();
  }

  /// The path in the file, with dots between levels.
  String path() {
    return path;
  }

  /// The environment variable. The values of a list are separated by commas.
  public String variable() {
    return variable;
  }

  boolean isList() {
    return this == PROVIDERS || this == ROLES || this == EXPECTED;
  }

  /// Whether the setting is a URL; an empty variable then counts as unset.
  boolean isUrl() {
    return this == STORE || this == RECORDS;
  }
}
