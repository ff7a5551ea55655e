package keyfleet.cli.config;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The settings of `server`, from flags, variables and the file.
public record ServerSettings(
    Set<Role> roles,
    ListenAddress listenAddress,
    EventLog.Format logFormat,
    List<DeclaredCollection> collections,
    RateLimit rateLimit) {

  private static final String ROLES = "--roles";
  private static final String LISTEN = "--listen";
  private static final String LOG_FORMAT = "--log-format";
  private static final String RATE = "--rate";

  public ServerSettings {
    roles = Set.copyOf(roles);
    collections = List.copyOf(collections);
  }

  /// An address; port 0 picks a free one.
  public record ListenAddress(String host, int port) {
    private static final Pattern FORMAT =
        Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    static ListenAddress of(Setting setting) {
      Matcher parts = FORMAT.matcher(setting.text());
      if (!parts.matches() || Integer.parseInt(parts.group(2)) > MAX_PORT) {
        throw setting.invalidValue(
            "an address; use HOST:PORT with a port from 0 to 65535", "127.0.0.1:8080");
      }
      return new ListenAddress(parts.group(1), Integer.parseInt(parts.group(2)));
    }

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            option(ROLES, "ROLE,…", "The roles of the process: worker, scheduler (default: both)."))
        .addOption(
            option(
                LISTEN,
                "HOST:PORT",
                "The address of /livez, /readyz and /metrics; port 0 picks a free port (default:"
                    + " 127.0.0.1:0)."))
        .addOption(option(LOG_FORMAT, "FORMAT", "text (default) or json."))
        .addOption(option(RATE, "N", "Maximum records that a worker rewraps per second."));
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  public static ServerSettings of(ParseResult parsed, EffectiveConfig config) {
    Map<String, String> environment = config.environment();
    return new ServerSettings(
        Setting.find(parsed, ROLES, ConfigKey.ROLES, environment)
            .map(ServerSettings::parseRoles)
            .orElse(EnumSet.allOf(Role.class)),
        Setting.find(parsed, LISTEN, ConfigKey.LISTEN, environment)
            .map(ListenAddress::of)
            .orElse(new ListenAddress("127.0.0.1", 0)),
        Setting.find(parsed, LOG_FORMAT, ConfigKey.LOG_FORMAT, environment)
            .map(ServerSettings::parseLogFormat)
            .orElse(EventLog.Format.TEXT),
        config.collections(),
        Setting.find(parsed, RATE, ConfigKey.RATE, environment)
            .map(setting -> new RateLimit(parseRate(setting)))
            .orElse(RateLimit.UNLIMITED));
  }

  private static Set<Role> parseRoles(Setting list) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    list.splitAtCommas().forEach(setting -> roles.add(parseRole(setting)));
    return roles;
  }

  static Role parseRole(Setting setting) {
    return switch (setting.text()) {
      case "worker" -> Role.WORKER;
      case "scheduler" -> Role.SCHEDULER;
      case "api" ->
          throw setting.rejection(
              "role 'api' is not supported; use worker or scheduler", setting.name() + "worker");
      default -> throw setting.invalidValue("a role; use worker or scheduler", "worker");
    };
  }

  static EventLog.Format parseLogFormat(Setting setting) {
    return switch (setting.text()) {
      case "text" -> EventLog.Format.TEXT;
      case "json" -> EventLog.Format.JSON;
      default -> throw setting.invalidValue("a log format; use text or json", "json");
    };
  }

  static int parseRate(Setting setting) {
    return setting.toCount("records per second", "500");
  }
}
