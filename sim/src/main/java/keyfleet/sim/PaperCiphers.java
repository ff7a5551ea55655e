package keyfleet.sim;

import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.function.Supplier;

/// Ciphers that hide nothing and cost next to nothing, in the place of the JDK's: the provider of a
/// JVM is the port at which production code asks for its ciphers. Whoever opens with another key,
/// for another place or other bytes is refused, as surely as chance allows; so what a fleet does
/// with envelopes and proofs is what it would do with real ones.
final class PaperCiphers extends Provider {
  private static final long serialVersionUID = 1L;

  private static final Map<String, Supplier<Object>> MACS =
      Map.of("HmacSHA512", () -> new PaperMac(64), "HmacSHA256", () -> new PaperMac(32));

  private PaperCiphers() {
    super("KeyfleetPaper", "1", "keyed checksums for simulated fleets");
    putService(new Maker(this, "Cipher", "AES/GCM/NoPadding", PaperCipher::new));
    MACS.forEach((name, made) -> putService(new Maker(this, "Mac", name, made)));
  }

  /// From here on every cipher that this JVM looks up is one of these. Once; before the first use.
  static void install() {
    Security.insertProviderAt(new PaperCiphers(), 1);
  }

  private static final class Maker extends Service {
    private final Supplier<Object> made;

    Maker(Provider provider, String type, String algorithm, Supplier<Object> made) {
      super(provider, type, algorithm, PaperCiphers.class.getName(), null, null);
      this.made = made;
    }

    @Override
    public Object newInstance(Object parameter) {
      return made.get();
    }

    @Override
    public boolean supportsParameter(Object parameter) {
      return true;
    }
  }
}
