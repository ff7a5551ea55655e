package keyfleet.sim.cipher;

import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.function.Supplier;

/// Ciphers that hide nothing and cost next to nothing, in the place of the JDK's: the provider of a
/// JVM is the port at which production code asks for its ciphers. Whoever opens with another key,
/// for another place or other bytes is refused, as surely as chance allows; so what a fleet does
/// with envelopes and proofs is what it would do with real ones.
public final class FakeCipherProvider extends Provider {
  private static final long serialVersionUID = 1L;

  private static final Map<String, Supplier<Object>> MACS =
      Map.of("HmacSHA512", () -> new FakeMac(64), "HmacSHA256", () -> new FakeMac(32));

  private FakeCipherProvider() {
    super("KeyfleetPaper", "1", "keyed checksums for simulated fleets");
    putService(new FakeService(this, "Cipher", "AES/GCM/NoPadding", FakeCipher::new));
    MACS.forEach((name, factory) -> putService(new FakeService(this, "Mac", name, factory)));
  }

  /// From here on every cipher that this JVM looks up is one of these. Once; before the first use.
  public static void install() {
    Security.insertProviderAt(new FakeCipherProvider(), 1);
  }

  private static final class FakeService extends Service {
    private final Supplier<Object> factory;

    FakeService(Provider provider, String type, String algorithm, Supplier<Object> factory) {
      super(provider, type, algorithm, FakeCipherProvider.class.getName(), null, null);
      this.factory = factory;
    }

    @Override
    public Object newInstance(Object parameter) {
      return factory.get();
    }

    @Override
    public boolean supportsParameter(Object parameter) {
      return true;
    }
  }
}
