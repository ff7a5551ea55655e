package keyfleet.otel;

/// Who hears whether spans arrive; once at each turn, not at each batch.
public interface ExportListener {
  void onSpansLost(String message);

  void onRecovered(String message);
}
