package keyfleet.cli.process;

import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KekProviderSet;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.ServerSettings;
import keyfleet.cli.output.ExitCode;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.member.ProcessSettings;
import keyfleet.member.process.ResourceStack;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.server.EventLog;
import keyfleet.server.KeyringSelection;
import keyfleet.server.Server;
import picocli.CommandLine.ParseResult;

/// `server`: runs a server of the fleet until SIGTERM.
public record ServerCommand(CommandContext context, String version) implements Command {
  @Override
  public CommandOptions options() {
    CommandOptions options =
        CommandOptions.of(
            this,
            "Runs a server that drives rotations and reports its health.",
            "The server writes heartbeats, takes over a rotation if its driver stops, and answers"
                + " /livez, /readyz and /metrics. SIGTERM stops it.");
    return ServerSettings.addTo(options)
        .add(ConfigKeys.KEYRINGS, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS);
  }

  @Override
  public int run(ParseResult parsed) {
    ProviderContext runtime = context.runtime().get();
    Operator operator = context.operator().get();
    KeyringSelection keyrings = KeyOptions.keyrings(parsed, runtime);
    ServerSettings serverSettings = ServerSettings.of(parsed, context.effectiveConfig().get());
    ProcessSettings processSettings =
        ProcessSettings.of(runtime.environment(), operator.localProcess());
    EventLog infoLog =
        new EventLog(
            context.console().err(),
            serverSettings.logFormat(),
            operator.wallClock(),
            processSettings.instance(),
            keyrings.named().size() == 1 ? keyrings.named().getFirst().value() : "");
    EventLog log =
        ConfigKeys.LOG_LEVEL.find(parsed, runtime.environment()).orElse(false)
            ? infoLog.withDebugEvents()
            : infoLog;
    StoreOptions.createDataFolder(parsed, context);
    try (StoreConnections storeConnections = StoreOptions.open(parsed, context);
        ResourceStack providers = new ResourceStack(log::write)) {
      Server.Resources resources =
          new Server.Resources(
              storeConnections.kv(),
              storeConnections.storeChecks(),
              storeConnections,
              keyring -> providers.closeAtEnd(KekProviderSet.open(parsed, keyring, runtime)).all(),
              declaredCollections(serverSettings, keyrings, storeConnections));
      Server.Settings settings = toServerSettings(serverSettings, keyrings, processSettings);
      return serve(
          new Server(
              settings, resources, auditContext(operator, processSettings), log, Failpoints.NONE),
          log);
    }
  }

  private Server.Settings toServerSettings(
      ServerSettings serverSettings, KeyringSelection keyrings, ProcessSettings processSettings) {
    return new Server.Settings(
        keyrings,
        serverSettings.roles(),
        processSettings,
        version,
        serverSettings.listenAddress().toSocketAddress(),
        serverSettings.rateLimit());
  }

  private static List<Server.RecordCollection> declaredCollections(
      ServerSettings serverSettings, KeyringSelection keyrings, StoreConnections storeConnections) {
    return serverSettings.collections().stream()
        .filter(it -> keyrings.includes(it.keyring()))
        .map(it ->
            new Server.RecordCollection(
                it.keyring(),
                storeConnections.recordsEngineName(),
                storeConnections.recordsEngine(),
                it.shape()))
        .toList();
  }

  private static AuditContext auditContext(Operator operator, ProcessSettings processSettings) {
    return new AuditContext(
        new AuditActor(operator.user(), operator.localProcess().host(), processSettings.instance()),
        operator.wallClock());
  }

  private static int serve(Server server, EventLog log) {
    try (ShutdownSignal shutdown = ShutdownSignal.install();
        server) {
      server.start();
      shutdown.await();
      log.info("stopping");
    }
    return ExitCode.OK;
  }
}
