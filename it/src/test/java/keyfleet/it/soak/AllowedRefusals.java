package keyfleet.it.soak;

import io.grpc.Status.Code;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which refusals of the plugin are allowed: those that are documented for a current fault,
/// and for a moment after it. Thread-safe; all times are nanoseconds of one clock.
final class AllowedRefusals {
  /// The calls that a fault affects.
  enum Scope {
    /// The plugin is down or has no key yet.
    EVERYTHING,
    /// Only Decrypt with local KEKs that this process has not unwrapped yet.
    UNKNOWN_LOCAL_KEKS,
    NOTHING
  }

  /// The refusals of one fault are allowed until `until`; null while the fault lasts.
  private record Allowance(SoakFault fault, Scope scope, long from, @Nullable Long until) {
    boolean isActiveDuring(long began, long ended) {
      return from <= ended && (until == null || began <= until);
    }
  }

  /// A refused call.
  ///
  /// @param kekKnown whether the process knew its local KEK when the call began
  record RefusedCall(String method, Code code, boolean kekKnown, long startedAt, long endedAt) {}

  /// After an outage the plugin may wait up to two seconds before it calls the remote again.
  static final Duration GRACE = Duration.ofSeconds(3);

  private final List<Allowance> allowances = new ArrayList<>();

  synchronized void begin(SoakFault fault, Scope scope, long now) {
    allowances.add(new Allowance(fault, scope, now, null));
  }

  /// Ends all current faults.
  synchronized void end(long now) {
    allowances.replaceAll(it ->
        it.until() == null
            ? new Allowance(it.fault(), it.scope(), it.from(), now + GRACE.toNanos())
            : it);
  }

  /// Throws [SoakFailure] if no fault allows this refusal.
  synchronized void check(RefusedCall call) {
    if (call.code() != Code.UNAVAILABLE
        || allowances.stream().noneMatch(it -> isAllowedBy(it, call))) {
      throw new SoakFailure(
          "%s was refused with %s, %s".formatted(call.method(), call.code(), circumstances(call)));
    }
  }

  private static boolean isAllowedBy(Allowance allowance, RefusedCall call) {
    boolean isInScope =
        switch (allowance.scope()) {
          case EVERYTHING -> true;
          case UNKNOWN_LOCAL_KEKS -> call.method().equals("Decrypt") && !call.kekKnown();
          case NOTHING -> false;
        };
    return isInScope && allowance.isActiveDuring(call.startedAt(), call.endedAt());
  }

  private String circumstances(RefusedCall call) {
    List<SoakFault> present =
        allowances.stream()
            .filter(it -> it.isActiveDuring(call.startedAt(), call.endedAt()))
            .map(Allowance::fault)
            .toList();
    String kek = call.kekKnown() ? " under a local KEK that the process knew" : "";
    return present.isEmpty() ? "without any fault" + kek : "in " + present + kek;
  }
}
