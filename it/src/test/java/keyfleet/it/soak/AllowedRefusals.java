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
    UNKNOWN_LOCAL_KEKS,
    NOTHING
  }

  /// One that is over `until` then, or has not ended.
  private record Allowance(SoakFault fault, Scope scope, long from, @Nullable Long until) {
    boolean covers(long began, long ended) {
      return from <= ended && (until == null || began <= until);
    }
  }

  /// A call that was refused.
  ///
  /// @param met whether its local KEK was known to the process when the call began
  record RefusedCall(String method, Code code, boolean kekKnown, long startedAt, long endedAt) {}

  /// A remote that was down is left alone for up to two seconds.
  static final Duration GRACE = Duration.ofSeconds(3);

  private final List<Allowance> allowances = new ArrayList<>();

  synchronized void begin(SoakFault fault, Scope scope, long now) {
    allowances.add(new Allowance(fault, scope, now, null));
  }

  /// Ends all that have begun.
  synchronized void end(long now) {
    allowances.replaceAll(it ->
        it.until() == null
            ? new Allowance(it.fault(), it.scope(), it.from(), now + GRACE.toNanos())
            : it);
  }

  /// Throws [SoakFailure] if nothing excuses it.
  synchronized void check(RefusedCall call) {
    if (call.code() != Code.UNAVAILABLE || allowances.stream().noneMatch(it -> allows(it, call))) {
      throw new SoakFailure(
          "%s was refused with %s, %s".formatted(call.method(), call.code(), circumstances(call)));
    }
  }

  private static boolean allows(Allowance allowance, RefusedCall call) {
    boolean isInScope =
        switch (allowance.scope()) {
          case EVERYTHING -> true;
          case UNKNOWN_LOCAL_KEKS -> call.method().equals("Decrypt") && !call.kekKnown();
          case NOTHING -> false;
        };
    return isInScope && allowance.covers(call.startedAt(), call.endedAt());
  }

  private String circumstances(RefusedCall call) {
    List<SoakFault> present =
        allowances.stream()
            .filter(it -> it.covers(call.startedAt(), call.endedAt()))
            .map(Allowance::fault)
            .toList();
    String kek = call.kekKnown() ? " under a local KEK that the process knew" : "";
    return present.isEmpty() ? "without any fault" + kek : "in " + present + kek;
  }
}
