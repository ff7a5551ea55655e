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

/// What a server is told: what it does, where it listens, how it logs, which collections it looks
/// after, and how it rotates them.
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
        throw setting.invalid(
            "an address: HOST:PORT is, with a port from 0 to 65535", "127.0.0.1:8080");
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
            option(ROLES, "ROLE,…", "What it does: worker, scheduler (default: both)."))
        .addOption(
            option(
                LISTEN,
                "HOST:PORT",
                "Where it answers probes; port 0 picks a free one (default: 127.0.0.1:0)."))
        .addOption(option(LOG_FORMAT, "FORMAT", "text (default) or json."))
        .addOption(option(RATE, "N", "Records that a worker moves in a second, at most."));
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
            .map(ServerSettings::roles)
            .orElse(EnumSet.allOf(Role.class)),
        Setting.find(parsed, LISTEN, ConfigKey.LISTEN, environment)
            .map(ListenAddress::of)
            .orElse(new ListenAddress("127.0.0.1", 0)),
        Setting.find(parsed, LOG_FORMAT, ConfigKey.LOG_FORMAT, environment)
            .map(ServerSettings::logFormat)
            .orElse(EventLog.Format.TEXT),
        config.collections(),
        Setting.find(parsed, RATE, ConfigKey.RATE, environment)
            .map(setting -> new RateLimit(parseRate(setting)))
            .orElse(RateLimit.UNLIMITED));
  }

  private static Set<Role> roles(Setting list) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    list.splitAtCommas().forEach(setting -> roles.add(parseRole(setting)));
    return roles;
  }

  static Role parseRole(Setting setting) {
    return switch (setting.text()) {
      case "worker" -> Role.WORKER;
      case "scheduler" -> Role.SCHEDULER;
      case "api" -> throw setting.invalid("to be had yet: worker and scheduler are", "worker");
      default -> throw setting.invalid("a role: worker and scheduler are", "worker");
    };
  }

  static EventLog.Format logFormat(Setting setting) {
    return switch (setting.text()) {
      case "text" -> EventLog.Format.TEXT;
      case "json" -> EventLog.Format.JSON;
      default -> throw setting.invalid("a log format: text or json is", "json");
    };
  }

  static int parseRate(Setting setting) {
    return setting.toCount("records a second", "500");
  }
}
