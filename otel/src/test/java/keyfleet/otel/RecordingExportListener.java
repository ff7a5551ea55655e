package keyfleet.otel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Keeps the reports about exports.
final class RecordingExportListener implements ExportListener {
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void onSpansLost(String words) {
    lines.add("lost: " + words);
  }

  @Override
  public void onRecovered(String words) {
    lines.add("again: " + words);
  }

  List<String> all() {
    return List.copyOf(lines);
  }
}
