package keyfleet.store.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import keyfleet.store.StoreException;

/// Nanoseconds since the machine booted, including time spent suspended, and the id of that boot.
/// All processes of a machine read the same clock; it never goes back.
///
/// Linking a native function takes about 100 ms, as long as a whole command may take. So the first
/// readings on Linux come from `/proc/uptime`, the same clock truncated to hundredths of a second;
/// only a process that keeps reading pays for the exact clock.
public final class BootClock implements LongSupplier {
  /// Where the readings come from.
  private enum Source {
    /// CLOCK_BOOTTIME, or its equivalent on macOS.
    NATIVE,
    /// Stops while the machine is suspended.
    NANO_TIME,
    /// Supplied by a test.
    GIVEN
  }

  /// More readings than a command needs, fewer than a server makes during startup.
  private static final int COARSE_READINGS = 64;

  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final String NO_BOOT_ID = "unknown";

  private final Source source;
  private final String bootId;
  private final LongSupplier nanos;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

  private BootClock(Source source, String bootId, LongSupplier nanos) {
    this.source = source;
    this.bootId = bootId;
    this.nanos = nanos;
  }

  /// This machine's clock.
  public static BootClock system() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (system.startsWith("linux") && Files.isReadable(BOOT_ID) && Files.isReadable(UPTIME)) {
      return new BootClock(Source.NATIVE, firstLine(BOOT_ID), new CoarseThenExact());
    }
    if (system.startsWith("mac")) {
      return new BootClock(Source.NATIVE, Native.macBootId(), Native.clock(Native.MAC_CONTINUOUS));
    }
    return new BootClock(Source.NANO_TIME, NO_BOOT_ID, System::nanoTime);
  }

  /// A clock for tests.
  public static BootClock of(LongSupplier nanos, String bootId) {
    return new BootClock(Source.GIVEN, bootId, nanos);
  }

  /// Takes the maximum, because threads may read both sources at the same time, and the coarse one
  /// lags.
  @Override
  public long getAsLong() {
    return last.accumulateAndGet(nanos.getAsLong(), Math::max);
  }

  /// Differs after each boot, if the system provides it.
  public String bootId() {
    return bootId;
  }

  public boolean isSuspendAware() {
    return source != Source.NANO_TIME;
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new StoreException("the machine's clock cannot be read from " + file, e);
    }
  }

  private static final class CoarseThenExact implements LongSupplier {
    private static final long HUNDREDTH = 10_000_000;

    private final AtomicInteger readings = new AtomicInteger();

    @Override
    public long getAsLong() {
      return readings.getAndIncrement() < COARSE_READINGS ? readCoarse() : readExact();
    }

    private static long readCoarse() {
      String seconds = firstLine(UPTIME).split(" ", 2)[0];
      return Long.parseLong(seconds.replace(".", "")) * HUNDREDTH;
    }

    /// Resets the counter, so that it cannot overflow.
    private long readExact() {
      readings.set(COARSE_READINGS);
      return LazyNativeClock.CLOCK.getAsLong();
    }
  }

  /// Links the native function on first use.
  private static final class LazyNativeClock {
    static final LongSupplier CLOCK = Native.clock(Native.LINUX_BOOTTIME);
  }

  /// The C library's functions.
  private static final class Native {
    static final int LINUX_BOOTTIME = 7;

    /// CLOCK_MONOTONIC_RAW, which counts sleep on macOS.
    static final int MAC_CONTINUOUS = 4;

    private static final long SECOND = 1_000_000_000;
    private static final int TIMESPEC = 16;
    private static final int UUID_BYTES = 64;

    static LongSupplier clock(int number) {
      MethodHandle gettime =
          function("clock_gettime", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
      return () -> {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment time = arena.allocate(TIMESPEC, JAVA_LONG.byteAlignment());
          check((int) gettime.invokeExact(number, time), "clock_gettime");
          return time.get(JAVA_LONG, 0) * SECOND + time.get(JAVA_LONG, 8);
        } catch (RuntimeException | Error e) {
          throw e;
        } catch (Throwable e) {
          throw new IllegalStateException("clock_gettime cannot be called", e);
        }
      };
    }

    static String macBootId() {
      MethodHandle sysctl =
          function(
              "sysctlbyname",
              FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment name = arena.allocateFrom("kern.bootsessionuuid");
        MemorySegment id = arena.allocate(UUID_BYTES);
        MemorySegment length = arena.allocateFrom(JAVA_LONG, UUID_BYTES);
        check((int) sysctl.invokeExact(name, id, length, MemorySegment.NULL, 0L), "sysctlbyname");
        return id.getString(0);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("sysctlbyname cannot be called", e);
      }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    private static void check(int answer, String function) {
      if (answer != 0) {
        throw new IllegalStateException(function + " failed");
      }
    }
  }
}
