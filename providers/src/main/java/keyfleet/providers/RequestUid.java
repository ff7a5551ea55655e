package keyfleet.providers;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// The UID of the request that this thread works for. Remotes that accept a UID write it into their
/// own logs.
public final class RequestUid {
  /// The form that is safe in a header of any server. A UID of another form is not sent.
  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private static final ScopedValue<String> CURRENT = ScopedValue.newInstance();

  private RequestUid() {}

  public static <T> T callWith(String uid, Supplier<T> work) {
    return ScopedValue.where(CURRENT, uid).call(work::get);
  }

  public static void runWith(String uid, Runnable work) {
    ScopedValue.where(CURRENT, uid).run(work);
  }

  /// The UID; empty if there is none or it must not be sent.
  public static Optional<String> current() {
    return CURRENT.isBound() && SAFE.matcher(CURRENT.get()).matches()
        ? Optional.of(CURRENT.get())
        : Optional.empty();
  }
}
