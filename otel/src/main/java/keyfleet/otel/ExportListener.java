package keyfleet.otel;

/// Who hears whether spans arrive; once at each turn, not at each batch.
public interface ExportListener {
  void lost(String words);

  void arrivesAgain(String words);
}
