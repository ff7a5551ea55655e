package keyfleet.otel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Keeps what is said of exports.
final class RecordedExports implements ExportListener {
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
