package keyfleet.cli;

import keyfleet.kms.tracing.PluginTracer;
import keyfleet.otel.CollectorAddress;
import keyfleet.otel.ExportListener;
import keyfleet.otel.OtlpTracing;
import keyfleet.server.EventLog;
import org.jspecify.annotations.Nullable;

/// The tracing of a process, until it ends. Without a collector nothing of OpenTelemetry's is
/// loaded.
record Spans(@Nullable PluginTracer pluginTracer, Runnable end) implements AutoCloseable {
  static Spans open(TracingSettings told, OtlpTracing.Source source, EventLog log) {
    CollectorAddress collectorAddress = told.collectorAddress();
    return collectorAddress == null
        ? new Spans(null, () -> {})
        : open(new OtlpTracing.Settings(collectorAddress, told.ratio(), source), log);
  }

  private static Spans open(OtlpTracing.Settings settings, EventLog log) {
    OtlpTracing tracing = OtlpTracing.open(settings, new Lines(log));
    log.info("sends spans to %s".formatted(settings.collectorAddress()));
    return new Spans(tracing, tracing::close);
  }

  private record Lines(EventLog log) implements ExportListener {
    @Override
    public void onSpansLost(String words) {
      log.warn(words);
    }

    @Override
    public void onRecovered(String words) {
      log.info(words);
    }
  }

  @Override
  public void close() {
    end.run();
  }
}
