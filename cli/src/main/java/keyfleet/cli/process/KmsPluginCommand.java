package keyfleet.cli.process;

import java.net.InetSocketAddress;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KekProviderSet;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.KmsPluginSettings;
import keyfleet.cli.output.ExitCode;
import keyfleet.crypto.KeyringName;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.PluginContext;
import keyfleet.kms.PluginEvent;
import keyfleet.member.MemberEvent;
import keyfleet.member.ProcessSettings;
import keyfleet.otel.OtlpTracing;
import keyfleet.server.EventLog;
import keyfleet.server.ProbeServer;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.BootClock;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `kms-plugin`: serves the API servers of a cluster until it is told to end.
public final class KmsPluginCommand implements Command {
  private static final KeyringName USUAL = new KeyringName("kms");

  private final CommandContext office;
  private final String version;

  public KmsPluginCommand(CommandContext office, String version) {
    this.office = office;
    this.version = version;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this), USUAL);
    KmsPluginSettings.addTo(StoreOptions.addTo(spec));
    spec.usageMessage()
        .description(
            "Runs a KMS v2 plugin for the API servers of one cluster, at a unix socket. It needs"
                + " its store only to learn of new keys. SIGTERM ends it.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    var around = office.around().get();
    Operator operator = office.operator().get();
    KeyringName keyring = KeyOptions.keyring(parsed, around, USUAL);
    ProcessSettings process = ProcessSettings.of(around.environment(), operator.localProcess());
    KmsPluginSettings told = KmsPluginSettings.of(parsed, around.environment());
    StoreUrl _ = StoreOptions.store(parsed, around); // a wrong word is said now, not tried for ever
    EventLog log =
        new EventLog(
            office.console().err(),
            told.logFormat(),
            operator.calendar(),
            process.instance(),
            keyring.value());
    var source = new OtlpTracing.Source(process.instance(), keyring.value(), version);
    try (LazyStoreConnection store =
            new LazyStoreConnection(() -> StoreOptions.open(parsed, office));
        KekProviderSet providers = KekProviderSet.open(parsed, keyring, around)) {
      ProcessTracing spans = ProcessTracing.open(told.tracing(), source, log);
      KmsPlugin plugin =
          new KmsPlugin(
              told.plugin(keyring, process, version),
              new KmsPlugin.Dependencies(store::kv, providers.all(), event -> tell(log, event)),
              new PluginContext(
                  BootClock.system(),
                  around.ticker()::nanos,
                  event -> tell(log, event),
                  spans.pluginTracer()));
      return serve(plugin, spans, told, log);
    }
  }

  /// What the plugin's last calls have to tell is sent before the process is let go.
  private static int serve(
      KmsPlugin plugin, ProcessTracing spans, KmsPluginSettings told, EventLog log) {
    try (ShutdownSignal life = ShutdownSignal.begin();
        spans;
        plugin) {
      plugin.start();
      InetSocketAddress probes = new InetSocketAddress(told.probes().host(), told.probes().port());
      try (ProbeServer probeServer =
          ProbeServer.open(probes, () -> readiness(plugin), plugin.metrics())) {
        log.info(
            "answers /livez, /readyz and /metrics at %s:%d"
                .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
        life.await();
        log.info("stops");
      }
    }
    return ExitCode.OK;
  }

  private static ProbeServer.Readiness readiness(KmsPlugin plugin) {
    KmsPlugin.Health health = plugin.health();
    return new ProbeServer.Readiness("kms", health.healthy(), health.message());
  }

  private static void tell(EventLog log, MemberEvent event) {
    switch (event.severity()) {
      case INFO -> log.info(event.message());
      case WARNING -> log.warn(event.message());
    }
  }

  private static void tell(EventLog log, PluginEvent event) {
    switch (event.severity()) {
      case DEBUG, INFO -> log.info(event.message());
      case WARNING -> log.warn(event.message());
    }
  }
}
