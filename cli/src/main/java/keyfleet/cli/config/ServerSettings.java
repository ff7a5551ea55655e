package keyfleet.cli.config;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import picocli.CommandLine.ParseResult;

/// The settings of `server`, from flags, variables and the file.
public record ServerSettings(
    Set<Role> roles,
    ListenAddress listenAddress,
    EventLog.Format logFormat,
    List<DeclaredCollection> collections,
    RateLimit rateLimit) {

  public ServerSettings {
    roles = Set.copyOf(roles);
    collections = List.copyOf(collections);
  }

  /// An address; port 0 picks a free one.
  public record ListenAddress(String host, int port) {
    private static final Pattern FORMAT =
        Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    /// A free port that only this host reaches.
    static final ListenAddress LOCAL = new ListenAddress("127.0.0.1", 0);

    static ListenAddress of(Setting setting) {
      Matcher parts = FORMAT.matcher(setting.text());
      if (!parts.matches() || Integer.parseInt(parts.group(2)) > MAX_PORT) {
        throw setting.invalidValue(
            "an address; use HOST:PORT with a port from 0 to 65535", "127.0.0.1:8080");
      }
      return new ListenAddress(parts.group(1), Integer.parseInt(parts.group(2)));
    }

    public InetSocketAddress toSocketAddress() {
      return new InetSocketAddress(host, port);
    }
  }

  public static CommandOptions addTo(CommandOptions options) {
    return options.add(
        ConfigKeys.ROLES,
        ConfigKeys.LISTEN,
        ConfigKeys.LOG_FORMAT,
        ConfigKeys.LOG_LEVEL,
        ConfigKeys.RATE);
  }

  public static ServerSettings of(ParseResult parsed, EffectiveConfig config) {
    Map<String, String> environment = config.environment();
    return new ServerSettings(
        ConfigKeys.ROLES
            .findAll(parsed, environment)
            .map(Set::copyOf)
            .orElse(EnumSet.allOf(Role.class)),
        ConfigKeys.LISTEN.find(parsed, environment).orElse(ListenAddress.LOCAL),
        ConfigKeys.LOG_FORMAT.find(parsed, environment).orElse(EventLog.Format.TEXT),
        config.collections(),
        ConfigKeys.RATE.find(parsed, environment).orElse(RateLimit.UNLIMITED));
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

  static Boolean parseLogLevel(Setting setting) {
    return switch (setting.text()) {
      case "info" -> false;
      case "debug" -> true;
      default -> throw setting.invalidValue("a log level; use info or debug", "debug");
    };
  }

  static EventLog.Format parseLogFormat(Setting setting) {
    return switch (setting.text()) {
      case "text" -> EventLog.Format.TEXT;
      case "json" -> EventLog.Format.JSON;
      default -> throw setting.invalidValue("a log format; use text or json", "json");
    };
  }
}
