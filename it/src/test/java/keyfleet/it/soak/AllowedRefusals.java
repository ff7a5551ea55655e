package keyfleet.it.soak;

import io.grpc.Status.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// When a plugin may refuse what, and how: only what is documented for a fault that is there, and
/// for a moment after it. For any thread; times are of one clock, in nanoseconds.
final class AllowedRefusals {
  /// What a fault reaches.
  enum Scope {
    /// Nobody is there, or it has no key yet.
    EVERYTHING,
    /// Only local KEKs that this process has not met.
    UNMET_LOCAL_KEKS,
    NOTHING
  }

  /// One that is over `until` then, or has not ended.
  private record Allowance(SoakFault trouble, Scope extent, long from, @Nullable Long until) {
    boolean covers(long began, long ended) {
      return from <= ended && (until == null || began <= until);
    }
  }

  /// A call that was refused.
  ///
  /// @param met whether its local KEK was known to the process when the call began
  record RefusedCall(String method, Code code, boolean met, long began, long ended) {}

  /// A remote that was down is left alone for up to two seconds.
  static final Duration GRACE = Duration.ofSeconds(3);

  private final List<Allowance> all = new ArrayList<>();

  synchronized void begin(SoakFault trouble, Scope extent, long now) {
    all.add(new Allowance(trouble, extent, now, null));
  }

  /// Ends all that have begun.
  synchronized void end(long now) {
    all.replaceAll(it ->
        it.until() == null
            ? new Allowance(it.trouble(), it.extent(), it.from(), now + GRACE.toNanos())
            : it);
  }

  /// Throws [SoakFailure] if nothing excuses it.
  synchronized void judge(RefusedCall call) {
    if (call.code() != Code.UNAVAILABLE || all.stream().noneMatch(it -> excuses(it, call))) {
      throw new SoakFailure(
          "%s was refused with %s, %s".formatted(call.method(), call.code(), circumstances(call)));
    }
  }

  private static boolean excuses(Allowance excuse, RefusedCall call) {
    boolean reached =
        switch (excuse.extent()) {
          case EVERYTHING -> true;
          case UNMET_LOCAL_KEKS -> call.method().equals("Decrypt") && !call.met();
          case NOTHING -> false;
        };
    return reached && excuse.covers(call.began(), call.ended());
  }

  private String circumstances(RefusedCall call) {
    List<SoakFault> there =
        all.stream()
            .filter(it -> it.covers(call.began(), call.ended()))
            .map(Allowance::trouble)
            .toList();
    String kek = call.met() ? " under a local KEK that the process knew" : "";
    return there.isEmpty() ? "without any fault" + kek : "in " + there + kek;
  }
}
