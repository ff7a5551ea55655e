package keyfleet.kms.tracing;

import java.util.Map;

/// The span of work that is not traced.
public enum NoopTraceSpan implements TraceSpan {
  NONE;

  @Override
  public boolean isRecorded() {
    return false;
  }

  @Override
  public void describe(Subject subject) {}

  @Override
  public TraceSpan startChild(Stage stage) {
    return this;
  }

  @Override
  public String traceId() {
    return "";
  }

  @Override
  public Map<String, String> headers() {
    return Map.of();
  }

  @Override
  public void end(int code) {}
}
