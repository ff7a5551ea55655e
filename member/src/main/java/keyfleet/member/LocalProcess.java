package keyfleet.member;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/// The host, pid and start time of this process, as the operating system reports them. People read
/// the start time; no decision uses it.
public record LocalProcess(String host, long pid, Instant startedAt) {
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final String UNKNOWN = "localhost";

  public static LocalProcess current() {
    ProcessHandle process = ProcessHandle.current();
    return new LocalProcess(
        hostName(), process.pid(), process.info().startInstant().orElse(Instant.EPOCH));
  }

  /// Asks the network last, because that may take seconds.
  private static String hostName() {
    try {
      return Files.isReadable(HOST_NAME)
          ? Files.readString(HOST_NAME).strip()
          : InetAddress.getLocalHost().getHostName();
    } catch (IOException e) {
      return UNKNOWN;
    }
  }
}
