package keyfleet.sim.host;

import java.util.List;

/// The only source of randomness in a run. Two of the same seed and purpose give the same numbers,
/// and purposes do not influence each other: a run without one of its faults is otherwise the same.
public final class SeededRandom {
  private long state;

  private SeededRandom(long state) {
    this.state = state;
  }

  public static SeededRandom of(long seed) {
    return new SeededRandom(mix(seed));
  }

  /// The numbers for one purpose. The purpose's text is part of the seed: another text gives
  /// another history. So purposes and host names (`weather`, `clerk`) outlive renames.
  public SeededRandom forPurpose(String purpose) {
    return new SeededRandom(mix(state ^ mix(purpose.hashCode())));
  }

  /// SplitMix64.
  public long next() {
    state += 0x9E3779B97F4A7C15L;
    return mix(state);
  }

  private static long mix(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /// Fills eight bytes from `at` on, or as many as there are.
  public void fill(byte[] bytes, int at) {
    long bits = next();
    for (int i = at; i < Math.min(bytes.length, at + Long.BYTES); i++) {
      bytes[i] = (byte) bits;
      bits >>>= Byte.SIZE;
    }
  }

  public int below(int bound) {
    return (int) Long.remainderUnsigned(next(), bound);
  }

  /// From `least` to `most`, both included.
  public long between(long least, long most) {
    return least + Long.remainderUnsigned(next(), most - least + 1);
  }

  /// True once in `odds` draws on average.
  public boolean drawOneIn(int odds) {
    return below(odds) == 0;
  }

  public <T> T pick(List<T> items) {
    return items.get(below(items.size()));
  }
}
