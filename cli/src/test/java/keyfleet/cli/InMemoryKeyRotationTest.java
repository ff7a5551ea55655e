package keyfleet.cli;

/// The rotation scenario in memory, without real waiting.
class InMemoryKeyRotationTest implements KeyRotationScenario {
  @Override
  public TestBackend backend() {
    return new InMemoryBackend();
  }
}
