package keyfleet.cli;

import java.time.Duration;
import java.util.Map;
import keyfleet.store.engine.Engine;

/// The store and the clock of a test fleet.
interface TestBackend {
  /// Opens the store once more.
  Engine open();

  /// The store URL for commands.
  String url();

  long nanos();

  void advance(Duration duration);

  /// The timing variables; empty for the default timings.
  Map<String, String> timings();
}
