package keyfleet.watchdog;

/// The watchdog died here. Nothing of it runs on; what is durable stays.
public final class Crash extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Crash(String point) {
    super(point);
  }
}
