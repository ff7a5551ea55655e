package keyfleet.sim.cipher;

import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.CipherSpi;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/// A fake AES-GCM: the plain text followed by a keyed checksum. It supports what envelopes need:
/// one call for the associated data and one for the text.
final class FakeCipher extends CipherSpi {
  private static final int TAG = 16;

  private int mode;
  private KeyedChecksum keyed = KeyedChecksum.of(new byte[0]);

  @Override
  protected void engineInit(
      int opmode, Key key, AlgorithmParameterSpec parameters, @Nullable SecureRandom none) {
    mode = opmode;
    keyed = KeyedChecksum.of(key.getEncoded());
    byte[] nonce = ((GCMParameterSpec) parameters).getIV();
    keyed.update(nonce, 0, nonce.length);
    keyed.endItem();
  }

  @Override
  protected void engineUpdateAAD(byte[] aad, int offset, int length) {
    keyed.update(aad, offset, length);
    keyed.endItem();
  }

  @Override
  protected byte[] engineDoFinal(byte[] input, int offset, int length) throws AEADBadTagException {
    byte[] output = new byte[engineGetOutputSize(length)];
    engineDoFinal(input, offset, length, output, 0);
    return output;
  }

  @Override
  protected int engineDoFinal(byte[] input, int offset, int length, byte[] output, int at)
      throws AEADBadTagException {
    boolean encrypting = mode == Cipher.ENCRYPT_MODE;
    int textLength = encrypting ? length : length - TAG;
    byte[] tag = tag(input, offset, textLength);
    if (encrypting) {
      System.arraycopy(tag, 0, output, at + textLength, TAG);
    } else if (!Arrays.equals(tag, 0, TAG, input, offset + textLength, offset + length)) {
      throw new AEADBadTagException("not sealed by this key for this location");
    }
    System.arraycopy(input, offset, output, at, textLength);
    return engineGetOutputSize(length);
  }

  private byte[] tag(byte[] input, int offset, int length) {
    KeyedChecksum sum = keyed.copy();
    sum.update(input, offset, length);
    return sum.toBytes(TAG);
  }

  @Override
  protected int engineGetOutputSize(int length) {
    return mode == Cipher.ENCRYPT_MODE ? length + TAG : Math.max(0, length - TAG);
  }

  @Override
  protected int engineGetBlockSize() {
    return TAG;
  }

  @Override
  protected byte[] engineGetIV() {
    throw new UnsupportedOperationException("not supported: no caller needs it");
  }

  @Override
  protected AlgorithmParameters engineGetParameters() {
    throw new UnsupportedOperationException("not supported: no caller needs it");
  }

  @Override
  protected void engineSetMode(String name) {
    throw new UnsupportedOperationException("unsupported mode " + name);
  }

  @Override
  protected void engineSetPadding(String name) {
    throw new UnsupportedOperationException("unsupported padding " + name);
  }

  @Override
  protected void engineInit(int opmode, Key key, @Nullable SecureRandom none) {
    throw new UnsupportedOperationException("not supported: a nonce is required");
  }

  @Override
  protected void engineInit(
      int opmode, Key key, AlgorithmParameters parameters, @Nullable SecureRandom none) {
    throw new UnsupportedOperationException("not supported: a nonce is required");
  }

  @Override
  protected byte[] engineUpdate(byte[] input, int offset, int length) {
    throw new UnsupportedOperationException("not supported: the text must come in one call");
  }

  @Override
  protected int engineUpdate(byte[] input, int offset, int length, byte[] output, int at) {
    throw new UnsupportedOperationException("not supported: the text must come in one call");
  }
}
