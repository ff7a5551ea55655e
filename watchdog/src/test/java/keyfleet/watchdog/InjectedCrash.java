package keyfleet.watchdog;

/// The watchdog process dies here. None of its code runs after this; durable data stays.
public final class InjectedCrash extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InjectedCrash(String point) {
    super(point);
  }
}
