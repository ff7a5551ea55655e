package keyfleet.cli.output;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// The program that reads our standard output through a pipe. A command that waits and prints
/// nothing would not notice that it has ended, because only a write fails then.
public final class OutputReader {
  private static final int STDOUT = 1;
  private static final short ERROR_OR_HANG_UP = 0x8 | 0x10;
  private static final int POLLFD_BYTES = 8;
  private static final int REVENTS_OFFSET = 6;

  private OutputReader() {}

  /// Whether the other end of the pipe is closed. False if the system cannot tell.
  public static boolean isGone() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pollfd = arena.allocate(POLLFD_BYTES, JAVA_INT.byteAlignment());
      pollfd.set(JAVA_INT, 0, STDOUT);
      int changed = (int) LazyPoll.HANDLE.invokeExact(pollfd, 1L, 0);
      return changed > 0 && (pollfd.get(JAVA_SHORT, REVENTS_OFFSET) & ERROR_OR_HANG_UP) != 0;
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      return false;
    }
  }

  /// Links the native function on first use, which takes as long as a whole command.
  private static final class LazyPoll {
    static final MethodHandle HANDLE = link();

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(
          linker.defaultLookup().findOrThrow("poll"),
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    }
  }
}
