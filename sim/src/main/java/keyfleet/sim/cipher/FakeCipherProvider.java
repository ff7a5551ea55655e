package keyfleet.sim.cipher;

import java.security.Provider;
import java.security.Security;
import java.util.Map;
import java.util.function.Supplier;

/// Replaces the JDK's ciphers by ciphers that hide nothing and cost almost nothing. Production code
/// gets its ciphers from the JVM's providers, so a provider is the port to replace. Opening with
/// another key, for another location or with other bytes fails, except for a collision of
/// checksums; so a fleet treats envelopes and proofs as it treats real ones.
public final class FakeCipherProvider extends Provider {
  private static final long serialVersionUID = 1L;

  private static final Map<String, Supplier<Object>> MACS =
      Map.of("HmacSHA512", () -> new FakeMac(64), "HmacSHA256", () -> new FakeMac(32));

  private FakeCipherProvider() {
    super("KeyfleetFake", "1", "keyed checksums for simulated fleets");
    putService(new FakeService(this, "Cipher", "AES/GCM/NoPadding", FakeCipher::new));
    MACS.forEach((name, factory) -> putService(new FakeService(this, "Mac", name, factory)));
  }

  /// Makes every later lookup of a cipher in this JVM return a fake one. Call it once, before the
  /// first use.
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
