package keyfleet.cli;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.control.AuditActor;
import keyfleet.control.AuditAuthor;
import keyfleet.control.Failpoints;
import keyfleet.crypto.KeyringName;
import keyfleet.member.ProcessSettings;
import keyfleet.providers.ProviderSpec.Surroundings;
import keyfleet.server.EventLog;
import keyfleet.server.Role;
import keyfleet.server.Server;
import keyfleet.server.Throttle;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `server`: runs until it is told to end.
final class ServerRun implements Command {
  private static final String ROLES = "--roles";
  private static final String LISTEN = "--listen";
  private static final String LOG_FORMAT = "--log-format";
  private static final String RATE = "--rate";

  private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");
  private static final int MOST_PORTS = 65_535;

  private final Office office;
  private final String version;

  ServerRun(Office office, String version) {
    this.office = office;
    this.version = version;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec)
        .addOption(
            text(ROLES, "ROLES", "worker, scheduler, or both, with a comma (default: both)."))
        .addOption(
            text(
                LISTEN,
                "HOST:PORT",
                "Where /livez, /readyz and /metrics are (default: 127.0.0.1:0, a free port)."))
        .addOption(text(LOG_FORMAT, "FORMAT", "text (default) or json; on standard error."))
        .addOption(text(RATE, "N", "Records that a worker moves in a second, at most."));
    spec.usageMessage()
        .description(
            "Runs a process of the fleet: it beats, drives rotations and adopts those whose driver"
                + " is silent, and shows how the fleet is. SIGTERM ends it.");
    return spec;
  }

  private static OptionSpec text(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  @Override
  public int run(ParseResult parsed) {
    Surroundings around = office.around().get();
    Operator operator = office.operator().get();
    KeyringName keyring = KeyOptions.keyring(parsed);
    ProcessSettings process = ProcessSettings.of(around.environment(), operator.machine());
    Server.Settings settings =
        new Server.Settings(
            keyring, roles(parsed), process, version, listen(parsed), throttle(parsed));
    EventLog log =
        new EventLog(
            office.console().err(),
            format(parsed),
            operator.calendar(),
            process.instance(),
            keyring.value());
    AuditAuthor author =
        new AuditAuthor(
            new AuditActor(operator.user(), operator.machine().host(), process.instance()),
            operator.calendar());
    try (Stores stores = StoreOptions.open(parsed, office);
        Providers providers = Providers.open(parsed, keyring, around)) {
      Server.Ties ties =
          new Server.Ties(stores.kv(), stores.checks(), stores, providers.all(), List.of());
      return serve(new Server(settings, ties, author, log, Failpoints.NONE), log);
    }
  }

  private static int serve(Server server, EventLog log) {
    try (Lifetime life = Lifetime.begin();
        server) {
      server.start();
      life.await();
      log.info("stops");
    }
    return Exit.OK;
  }

  private static Set<Role> roles(ParseResult parsed) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String word : parsed.matchedOptionValue(ROLES, "worker,scheduler").split(",", -1)) {
      roles.add(role(word.strip()));
    }
    return roles;
  }

  private static Role role(String word) {
    return switch (word) {
      case "worker" -> Role.WORKER;
      case "scheduler" -> Role.SCHEDULER;
      case "api" ->
          throw new CommandException(
              "the role api is not there yet: this version has no REST interface",
              ROLES + "=worker,scheduler");
      default ->
          throw new CommandException(
              ROLES + " names " + Console.plain(word) + ", and the roles are worker and scheduler",
              ROLES + "=worker,scheduler");
    };
  }

  private static EventLog.Format format(ParseResult parsed) {
    String word = parsed.matchedOptionValue(LOG_FORMAT, "text");
    return switch (word) {
      case "text" -> EventLog.Format.TEXT;
      case "json" -> EventLog.Format.JSON;
      default ->
          throw new CommandException(
              LOG_FORMAT + "=" + Console.plain(word) + " is neither text nor json",
              LOG_FORMAT + "=json");
    };
  }

  private static Throttle throttle(ParseResult parsed) {
    if (!parsed.hasMatchedOption(RATE)) {
      return Throttle.NONE;
    }
    String digits = parsed.matchedOptionValue(RATE, "");
    if (!digits.matches("[1-9][0-9]{0,6}")) {
      throw new CommandException(
          RATE + "=" + Console.plain(digits) + " is not a number of records from 1 to 9999999",
          RATE + "=500");
    }
    return new Throttle(Integer.parseInt(digits));
  }

  private static InetSocketAddress listen(ParseResult parsed) {
    String given = parsed.matchedOptionValue(LISTEN, "127.0.0.1:0");
    Matcher parts = ADDRESS.matcher(given);
    int port = parts.matches() ? Integer.parseInt(parts.group(2)) : MOST_PORTS + 1;
    if (port > MOST_PORTS) {
      throw new CommandException(
          LISTEN + "=" + Console.plain(given) + " is not HOST:PORT with a port up to 65535",
          LISTEN + "=127.0.0.1:9477");
    }
    return new InetSocketAddress(parts.group(1), port);
  }
}
