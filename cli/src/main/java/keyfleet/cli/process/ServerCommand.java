package keyfleet.cli.process;

import java.net.InetSocketAddress;
import java.util.List;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KekProviderSet;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.ServerSettings;
import keyfleet.cli.output.ExitCode;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.crypto.KeyringName;
import keyfleet.member.ProcessSettings;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.server.EventLog;
import keyfleet.server.Server;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `server`: runs until it is told to end.
public final class ServerCommand implements Command {
  private final CommandContext office;
  private final String version;

  public ServerCommand(CommandContext office, String version) {
    this.office = office;
    this.version = version;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    ServerSettings.addTo(StoreOptions.addWithRecords(spec));
    spec.usageMessage()
        .description(
            "Runs a process of the fleet: it beats, drives rotations and adopts those whose driver"
                + " is silent, and answers /livez, /readyz and /metrics. SIGTERM ends it.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    ProviderContext around = office.around().get();
    Operator operator = office.operator().get();
    KeyringName keyring = KeyOptions.keyring(parsed, around);
    ServerSettings told = ServerSettings.of(parsed, office.config().get());
    ProcessSettings process = ProcessSettings.of(around.environment(), operator.localProcess());
    EventLog log =
        new EventLog(
            office.console().err(),
            told.logFormat(),
            operator.calendar(),
            process.instance(),
            keyring.value());
    StoreOptions.makeHome(parsed, office);
    try (StoreConnections stores = StoreOptions.open(parsed, office);
        KekProviderSet providers = KekProviderSet.open(parsed, keyring, around)) {
      Server.Resources resources =
          new Server.Resources(
              stores.kv(),
              stores.storeChecks(),
              stores,
              providers.all(),
              declared(told, keyring, stores));
      Server.Settings settings = settings(told, keyring, process);
      return serve(
          new Server(settings, resources, author(operator, process), log, Failpoints.NONE), log);
    }
  }

  private Server.Settings settings(
      ServerSettings told, KeyringName keyring, ProcessSettings process) {
    InetSocketAddress listen = new InetSocketAddress(told.listen().host(), told.listen().port());
    return new Server.Settings(keyring, told.roles(), process, version, listen, told.rateLimit());
  }

  private static List<Server.RecordCollection> declared(
      ServerSettings told, KeyringName keyring, StoreConnections stores) {
    return told.collections().stream()
        .filter(it -> it.keyring().equals(keyring))
        .map(
            it -> new Server.RecordCollection(stores.recordsEngine(), stores.records(), it.shape()))
        .toList();
  }

  private static AuditContext author(Operator operator, ProcessSettings process) {
    return new AuditContext(
        new AuditActor(operator.user(), operator.localProcess().host(), process.instance()),
        operator.calendar());
  }

  private static int serve(Server server, EventLog log) {
    try (ShutdownSignal life = ShutdownSignal.begin();
        server) {
      server.start();
      life.await();
      log.info("stops");
    }
    return ExitCode.OK;
  }
}
