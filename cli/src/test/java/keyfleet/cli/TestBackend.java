package keyfleet.cli;

import java.time.Duration;
import java.util.Map;
import keyfleet.store.engine.Engine;

/// Where a fleet of the tests lives: a store, and time.
interface TestBackend {
  /// The store, opened once more.
  Engine open();

  /// What a command is told to open.
  String url();

  long nanos();

  void advance(Duration duration);

  /// In the form of the variables that set them; the usual ones if empty.
  Map<String, String> timings();
}
