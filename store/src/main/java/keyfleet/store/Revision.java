package keyfleet.store;

/// The number of a write to a key. A later write to the same key has a higher number.
public record Revision(long number) implements Comparable<Revision> {
  public Revision {
    if (number < 1) {
      throw new IllegalArgumentException("a revision is a positive integer, not " + number);
    }
  }

  @Override
  public int compareTo(Revision other) {
    return Long.compare(number, other.number);
  }
}
