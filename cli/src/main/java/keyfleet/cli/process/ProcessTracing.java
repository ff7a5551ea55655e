package keyfleet.cli.process;

import keyfleet.cli.config.TracingSettings;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.otel.CollectorAddress;
import keyfleet.otel.OtlpTracing;
import keyfleet.server.EventLog;
import org.jspecify.annotations.Nullable;

/// The tracing of a process. Closing it sends the remaining spans. Without a collector no class of
/// OpenTelemetry is loaded.
record ProcessTracing(@Nullable PluginTracer pluginTracer, Runnable closeAction)
    implements AutoCloseable {
  static ProcessTracing open(TracingSettings settings, OtlpTracing.Source source, EventLog log) {
    CollectorAddress collectorAddress = settings.collectorAddress();
    return collectorAddress == null
        ? new ProcessTracing(null, () -> {})
        : open(new OtlpTracing.Settings(collectorAddress, settings.ratio(), source), log);
  }

  private static ProcessTracing open(OtlpTracing.Settings settings, EventLog log) {
    OtlpTracing tracing = OtlpTracing.open(settings, log::write);
    log.info("sending spans to %s".formatted(settings.collectorAddress()));
    return new ProcessTracing(tracing, tracing::close);
  }

  @Override
  public void close() {
    closeAction.run();
  }
}
