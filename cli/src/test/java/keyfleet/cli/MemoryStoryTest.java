package keyfleet.cli;

/// The story in no time.
class MemoryStoryTest implements KekStory {
  @Override
  public World world() {
    return new MemoryWorld();
  }
}
