package keyfleet.it.process;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Gives a process a wrong date with libfaketime. Elapsed time stays correct, as on a host whose
/// clock is never synchronised.
public final class FakeCalendar {
  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final Path LIBRARY = Path.of("faketime", "libfaketimeMT.so.1");

  private FakeCalendar() {}

  /// The environment of a process whose date is ahead by `duration`. The library must neither fake
  /// nor correct the monotonic clock: a JVM would hang.
  public static Map<String, String> ahead(Duration duration) {
    return Map.of(
        "LD_PRELOAD", library().toString(),
        "FAKETIME", "%+ds".formatted(duration.toSeconds()),
        "FAKETIME_DONT_FAKE_MONOTONIC", "1",
        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
        "NO_FAKE_STAT", "1");
  }

  private static Path library() {
    try (Stream<Path> folders = Files.list(LIBRARIES)) {
      Optional<Path> found =
          folders.map(it -> it.resolve(LIBRARY)).filter(Files::isRegularFile).findFirst();
      return found.orElseGet(
          () -> abort("libfaketime is not installed (Debian package libfaketime)"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
