package keyfleet.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.member.process.ProcessEvent;

/// Sends spans to a collector, over OTLP/HTTP. Calls never wait for the collector.
public final class OtlpTracing implements PluginTracer, AutoCloseable {
  /// The process that the spans come from.
  public record Source(String instance, String keyring, String software) {}

  /// The settings of the export.
  ///
  /// @param ratio the share of traces to record, of those that begin here; a caller that sent a
  ///   trace has decided already
  public record Settings(CollectorAddress collectorAddress, double ratio, Source source) {}

  private static final String SERVICE = "v2.KeyManagementService";

  private static final int MAX_QUEUED_SPANS = 2_048;
  private static final int MAX_BATCH_SPANS = 512;
  private static final int MAX_VALUE_LENGTH = 256;
  private static final Duration EXPORT_INTERVAL = Duration.ofSeconds(2);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(5);

  /// The time for sending the queue when the plugin ends.
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  /// Kept in a field, because the JVM drops an unreferenced logger together with its level.
  private static final Logger LOGGER = Logger.getLogger("io.opentelemetry");

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  private OtlpTracing(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider.get("keyfleet");
  }

  /// Reports to `events` when spans stop reaching the collector and when they reach it again.
  public static OtlpTracing open(Settings settings, Consumer<ProcessEvent> events) {
    LOGGER.setLevel(Level.OFF); // it logs every failed batch
    SpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(settings.collectorAddress().tracesUrl())
            .setConnectTimeout(CONNECT_TIMEOUT)
            .setTimeout(EXPORT_TIMEOUT)
            .setRetryPolicy(null)
            .setMeterProvider(MeterProvider.noop())
            .build();
    BatchSpanProcessor queue =
        BatchSpanProcessor.builder(
                new FailureReportingExporter(
                    exporter, settings.collectorAddress().toString(), events))
            .setMaxQueueSize(MAX_QUEUED_SPANS)
            .setMaxExportBatchSize(MAX_BATCH_SPANS)
            .setScheduleDelay(EXPORT_INTERVAL)
            .setExporterTimeout(EXPORT_TIMEOUT)
            .setMeterProvider(MeterProvider.noop())
            .build();
    return new OtlpTracing(
        SdkTracerProvider.builder()
            .setResource(Resource.create(resourceAttributes(settings.source())))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.ratio())))
            .setSpanLimits(
                SpanLimits.builder().setMaxAttributeValueLength(MAX_VALUE_LENGTH).build())
            .addSpanProcessor(queue)
            .build());
  }

  private static Attributes resourceAttributes(Source source) {
    AttributesBuilder all = Attributes.builder();
    all.put("service.name", "keyfleet-kms-plugin");
    all.put("service.version", source.software());
    all.put("service.instance.id", source.instance());
    all.put("keyfleet.keyring", source.keyring());
    return all.build();
  }

  @Override
  public TraceSpan startCall(String method, Map<String, String> callerHeaders) {
    Context caller =
        W3CTraceContextPropagator.getInstance()
            .extract(Context.root(), callerHeaders, TraceHeaderGetter.INSTANCE);
    return new OtlpSpan(
        tracer,
        tracer
            .spanBuilder(SERVICE + "/" + method)
            .setParent(caller)
            .setSpanKind(SpanKind.SERVER)
            .setAttribute("rpc.system", "grpc")
            .setAttribute("rpc.service", SERVICE)
            .setAttribute("rpc.method", method)
            .startSpan());
  }

  @Override
  public TraceSpan startBackgroundWork(TraceSpan.Stage stage) {
    return new OtlpSpan(
        tracer,
        tracer
            .spanBuilder(stage.label())
            .setNoParent()
            .setSpanKind(OtlpSpan.kind(stage))
            .startSpan());
  }

  /// Sends the queue, and waits longer for the collector than [#close] does.
  public void flush() {
    var _ = provider.forceFlush().join(EXPORT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Sends the queue, if the collector answers in time.
  @Override
  public void close() {
    var _ = provider.shutdown().join(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
