package keyfleet.cli;

/// The story in no time.
class InMemoryKeyRotationTest implements KeyRotationScenario {
  @Override
  public TestBackend backend() {
    return new InMemoryBackend();
  }
}
