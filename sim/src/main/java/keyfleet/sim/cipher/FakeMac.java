package keyfleet.sim.cipher;

import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.MacSpi;
import org.jspecify.annotations.Nullable;

/// A fake HMAC: a keyed checksum.
final class FakeMac extends MacSpi implements Cloneable {
  private final int length;
  private KeyedChecksum keyed = KeyedChecksum.of(new byte[0]);
  private KeyedChecksum running = keyed.copy();

  FakeMac(int length) {
    this.length = length;
  }

  @Override
  protected int engineGetMacLength() {
    return length;
  }

  @Override
  protected void engineInit(Key key, @Nullable AlgorithmParameterSpec none) {
    keyed = KeyedChecksum.of(key.getEncoded());
    engineReset();
  }

  @Override
  protected void engineUpdate(byte input) {
    running.update(new byte[] {input}, 0, 1);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int count) {
    running.update(input, offset, count);
  }

  @Override
  protected byte[] engineDoFinal() {
    byte[] mac = running.toBytes(length);
    engineReset();
    return mac;
  }

  @Override
  protected void engineReset() {
    running = keyed.copy();
  }

  @Override
  public Object clone() throws CloneNotSupportedException {
    FakeMac copy = (FakeMac) super.clone();
    copy.running = running.copy();
    return copy;
  }
}
