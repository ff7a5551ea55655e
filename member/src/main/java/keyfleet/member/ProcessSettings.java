package keyfleet.member;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Timings;
import keyfleet.member.MemberException.InvalidSetting;
import keyfleet.member.document.KeyEscaper;
import org.jspecify.annotations.Nullable;

/// The settings that a process reads from its environment: its instance name and its timings.
///
/// | variable            | meaning                                                                |
/// |---------------------|------------------------------------------------------------------------|
/// | `KEYFLEET_INSTANCE` | the name; else the pod's; else host and pid                            |
/// | `POD_NAME`          | the pod's name; in Kubernetes without it, `HOSTNAME`                   |
/// | `NODE_NAME`         | the node of the pod; else the host's name                              |
/// | `KEYFLEET_TIMING_…` | `HEARTBEAT`, `FRESH`, `LEASE`, `EXPIRE`, `ADOPT`; setting one sets all |
///
/// A variable that is set but empty is refused, and so is one with a misspelt name: it was set for
/// a reason.
///
/// @param timings null if the process takes the fleet's
public record ProcessSettings(String instance, Host host, @Nullable Timings timings) {
  private static final String INSTANCE = "KEYFLEET_INSTANCE";
  private static final String POD = "POD_NAME";
  private static final String NODE = "NODE_NAME";
  private static final String HOST = "HOSTNAME";
  private static final String KUBERNETES = "KUBERNETES_SERVICE_HOST";
  static final String TIMING = "KEYFLEET_TIMING_";

  /// The name is printed on terminals and becomes a part of a key.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@/-]*");

  /// Leaves space in a key for the longest name of a keyring.
  private static final int MAX_ESCAPED_LENGTH = 190;

  private static final Map<String, Duration> DEFAULTS = byVariable(Timings.DEFAULT);

  /// The timings by the names of their variables after [#TIMING], in the order of [Timings].
  static Map<String, Duration> byVariable(Timings timings) {
    Map<String, Duration> all = new LinkedHashMap<>();
    all.put("HEARTBEAT", timings.heartbeat());
    all.put("FRESH", timings.fresh());
    all.put("LEASE", timings.lease());
    all.put("EXPIRE", timings.expire());
    all.put("ADOPT", timings.adopt());
    return all;
  }

  /// Throws [InvalidSetting] for the first variable that is wrong.
  public static ProcessSettings of(Map<String, String> environment, LocalProcess localProcess) {
    String pod = pod(environment).orElse("");
    String node = variable(environment, NODE).orElse(localProcess.host());
    Host host = new Host(node, localProcess.pid(), pod, localProcess.startedAt());
    return new ProcessSettings(instance(environment, localProcess), host, timings(environment));
  }

  /// The instance name of a process in this environment.
  public static String instance(Map<String, String> environment, LocalProcess localProcess) {
    return variable(environment, INSTANCE)
        .or(() -> pod(environment))
        .orElseGet(() -> localProcess.host() + "-" + localProcess.pid());
  }

  private static Optional<String> pod(Map<String, String> environment) {
    return variable(environment, POD)
        .or(() ->
            environment.containsKey(KUBERNETES) ? variable(environment, HOST) : Optional.empty());
  }

  /// Reads the settings of this process.
  public static ProcessSettings ofThisProcess() {
    return of(System.getenv(), LocalProcess.current());
  }

  public ProcessSettings {
    instance = requireValidName(instance);
  }

  ProcessSettings withInstance(String newInstance) {
    return new ProcessSettings(newInstance, host, timings);
  }

  ProcessSettings withTimings(Timings newTimings) {
    return new ProcessSettings(instance, host, newTimings);
  }

  /// Returns the name. Throws [InvalidSetting] if it is not a valid instance name.
  public static String requireValidName(String instance) {
    if (!NAME.matcher(instance).matches()
        || KeyEscaper.escape(instance).length() > MAX_ESCAPED_LENGTH) {
      throw new InvalidSetting(
          "an instance name has letters, digits and . _ : @ / -, at most %d characters; this one is %s"
              .formatted(MAX_ESCAPED_LENGTH, printable(instance)),
          INSTANCE + "=api-1");
    }
    return instance;
  }

  private static Optional<String> variable(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value != null && value.isBlank()) {
      throw new InvalidSetting(name + " is set but empty", "unset " + name);
    }
    return Optional.ofNullable(value);
  }

  private static @Nullable Timings timings(Map<String, String> environment) {
    Map<String, Duration> set = new LinkedHashMap<>(DEFAULTS);
    boolean any = false;
    for (String name : environment.keySet()) {
      if (name.startsWith(TIMING)) {
        String which = name.substring(TIMING.length());
        if (!DEFAULTS.containsKey(which)) {
          throw new InvalidSetting(
              "there is no setting " + name,
              "one of " + TIMING + String.join(", _", DEFAULTS.keySet()));
        }
        set.put(which, duration(name, environment.getOrDefault(name, "")));
        any = true;
      }
    }
    return any ? toTimings(set) : null;
  }

  private static Duration duration(String name, String value) {
    return DurationText.parse(value)
        .orElseThrow(() ->
            new InvalidSetting(
                "%s is %s; a duration is %s".formatted(name, printable(value), DurationText.SYNTAX),
                name
                    + "="
                    + DurationText.format(
                        DEFAULTS.getOrDefault(name.substring(TIMING.length()), Duration.ZERO))));
  }

  private static Timings toTimings(Map<String, Duration> set) {
    Duration[] all = set.values().toArray(Duration[]::new);
    try {
      return new Timings(all[0], all[1], all[2], all[3], all[4]);
    } catch (IllegalArgumentException e) {
      StringBuilder each = new StringBuilder();
      set.forEach((name, value) ->
          each.append(" _").append(name).append('=').append(DurationText.format(value)));
      throw new InvalidSetting(
          "KEYFLEET_TIMING_… must keep 2 x _HEARTBEAT <= _FRESH < _LEASE < _EXPIRE,"
              + " 2 x _HEARTBEAT <= _ADOPT and 1s <= _EXPIRE, and are"
              + each,
          "unset them all; the process then takes the fleet's timings");
    }
  }

  /// Makes a value safe to print: short and without control characters.
  private static String printable(String value) {
    String start = value.substring(0, Math.min(value.length(), 40));
    return "'" + start.replaceAll("[^ -~]", "?") + "'";
  }
}
