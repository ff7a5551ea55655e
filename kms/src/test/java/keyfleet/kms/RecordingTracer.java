package keyfleet.kms;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import keyfleet.kms.tracing.PluginTracer;
import keyfleet.kms.tracing.TraceSpan;

/// Records every span, in the order in which they begin.
final class RecordingTracer implements PluginTracer {
  static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  private static final int LIMIT_SECONDS = 20;

  final List<RecordedSpan> spans = Collections.synchronizedList(new ArrayList<>());

  @Override
  public TraceSpan startCall(String method, Map<String, String> sent) {
    return new RecordedSpan(method, "");
  }

  @Override
  public TraceSpan startBackgroundWork(TraceSpan.Stage stage) {
    return new RecordedSpan(stage.label(), "");
  }

  final class RecordedSpan implements TraceSpan {
    final String name;
    final String parent;
    volatile Subject subject = Subject.UNKNOWN;
    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    private RecordedSpan(String name, String parent) {
      this.name = name;
      this.parent = parent;
      spans.add(this);
    }

    @Override
    public boolean isRecorded() {
      return true;
    }

    @Override
    public void describe(Subject newSubject) {
      subject = newSubject;
    }

    @Override
    public TraceSpan startChild(Stage stage) {
      RecordedSpan child = new RecordedSpan(stage.label(), name);
      child.describe(subject);
      return child;
    }

    @Override
    public String traceId() {
      return TRACE;
    }

    @Override
    public Map<String, String> headers() {
      return Map.of("traceparent", name);
    }

    @Override
    public void end(int newCode) {
      if (!code.complete(newCode)) {
        throw new IllegalStateException(name + " ended twice");
      }
    }

    /// Waits for the end of the span, which comes after the answer to a call.
    int code() {
      return code.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public String toString() {
      return "%s < %s: %s".formatted(name, parent, subject);
    }
  }
}
