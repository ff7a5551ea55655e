package keyfleet.otel;

/// Receives a message when spans stop reaching the collector and when they reach it again, but not
/// for each batch.
public interface ExportListener {
  void onSpansLost(String message);

  void onRecovered(String message);
}
