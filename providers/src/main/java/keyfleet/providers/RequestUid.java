package keyfleet.providers;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// The UID of the request on whose behalf this thread works, for remotes that take one along into
/// their own logs.
public final class RequestUid {
  /// What is safe in a header of any server; another UID is not sent.
  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private static final ScopedValue<String> CURRENT = ScopedValue.newInstance();

  private RequestUid() {}

  public static <T> T callWith(String uid, Supplier<T> work) {
    return ScopedValue.where(CURRENT, uid).call(work::get);
  }

  public static void runWith(String uid, Runnable work) {
    ScopedValue.where(CURRENT, uid).run(work);
  }

  /// The UID, if there is one that a remote can be told.
  public static Optional<String> current() {
    return CURRENT.isBound() && SAFE.matcher(CURRENT.get()).matches()
        ? Optional.of(CURRENT.get())
        : Optional.empty();
  }
}
