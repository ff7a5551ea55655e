package keyfleet.member.process;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Supplier;

/// Makes texts that no process makes twice: names of runs, and marks by which a process recognizes
/// its own writes.
public final class NonceGenerator implements Supplier<String> {
  private static final int BYTES = 16;

  private final SecureRandom random = new SecureRandom();

  @Override
  public String get() {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
