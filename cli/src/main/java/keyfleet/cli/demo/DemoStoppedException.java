package keyfleet.cli.demo;

/// The user has stopped the demonstration.
final class DemoStoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoStoppedException() {
    super("the demonstration was stopped");
  }
}
