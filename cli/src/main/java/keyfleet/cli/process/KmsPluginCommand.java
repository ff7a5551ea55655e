package keyfleet.cli.process;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KekProviderSet;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.KmsPluginSettings;
import keyfleet.cli.output.ExitCode;
import keyfleet.crypto.KeyringName;
import keyfleet.kms.KmsPlugin;
import keyfleet.kms.PluginContext;
import keyfleet.member.ProcessSettings;
import keyfleet.otel.OtlpTracing;
import keyfleet.server.EventLog;
import keyfleet.server.ProbeServer;
import keyfleet.store.engine.StoreUrl;
import keyfleet.store.host.BootClock;
import picocli.CommandLine.ParseResult;

/// `kms-plugin`: runs a KMS v2 plugin for the API servers of a cluster until SIGTERM.
public record KmsPluginCommand(CommandContext context, String version) implements Command {
  private static final KeyringName DEFAULT_KEYRING = new KeyringName("kms");

  @Override
  public CommandOptions options() {
    CommandOptions options =
        CommandOptions.of(
            this,
            "Runs a KMS v2 plugin for the API servers of a cluster.",
            "The plugin listens on a unix socket. It needs the store only to learn about new keys."
                + " SIGTERM stops it.");
    return KmsPluginSettings.addTo(options)
        .add(ConfigKeys.KEYRING.withDescription("The keyring (default: kms)."))
        .add(ConfigKeys.PROVIDERS, ConfigKeys.STORE);
  }

  @Override
  public int run(ParseResult parsed) {
    var runtime = context.runtime().get();
    Operator operator = context.operator().get();
    KeyringName keyring = KeyOptions.keyring(parsed, runtime, DEFAULT_KEYRING);
    ProcessSettings processSettings =
        ProcessSettings.of(runtime.environment(), operator.localProcess());
    KmsPluginSettings settings =
        KmsPluginSettings.of(parsed, runtime.environment(), keyring, processSettings, version);
    // Refuses an invalid URL now: later, opening the store is retried forever.
    StoreUrl _ = StoreOptions.storeUrl(parsed, runtime);
    EventLog log =
        new EventLog(
            context.console().err(),
            settings.logFormat(),
            operator.wallClock(),
            processSettings.instance(),
            keyring.value());
    var source = new OtlpTracing.Source(processSettings.instance(), keyring.value(), version);
    try (LazyStoreConnection store =
            new LazyStoreConnection(() -> StoreOptions.open(parsed, context));
        KekProviderSet providers = KekProviderSet.open(parsed, keyring, runtime)) {
      ProcessTracing tracing = ProcessTracing.open(settings.tracing(), source, log);
      KmsPlugin plugin =
          new KmsPlugin(
              settings.plugin(),
              store::kv,
              providers.all(),
              new PluginContext(
                  BootClock.system(), runtime.ticker()::nanos, log::write, tracing.pluginTracer()));
      return serve(plugin, tracing, settings, log);
    }
  }

  /// Closes the plugin before the tracing, so that the spans of its last calls are sent.
  private static int serve(
      KmsPlugin plugin, ProcessTracing tracing, KmsPluginSettings settings, EventLog log) {
    try (ShutdownSignal shutdown = ShutdownSignal.install();
        tracing;
        plugin) {
      plugin.start();
      try (ProbeServer probeServer =
          ProbeServer.open(
              settings.probeAddress().toSocketAddress(),
              () -> readiness(plugin),
              plugin.metrics())) {
        log.info(
            "listening on %s:%d for /livez, /readyz and /metrics"
                .formatted(probeServer.address().getHostString(), probeServer.address().getPort()));
        shutdown.await();
        log.info("stopping");
      }
    }
    return ExitCode.OK;
  }

  private static ProbeServer.Readiness readiness(KmsPlugin plugin) {
    KmsPlugin.Health health = plugin.health();
    return new ProbeServer.Readiness("kms", health.isHealthy(), health.message());
  }
}
