package keyfleet.bench;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.OpenResult;
import keyfleet.crypto.RewrapResult;
import keyfleet.crypto.SealResult;
import keyfleet.crypto.SealResult.Sealed;
import keyfleet.crypto.SecretBytes;
import keyfleet.crypto.SoftwareKek;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Sealing, opening and rewrapping a value, beside one plain AES-256-GCM operation on the same
/// bytes: a fresh cipher object each time, a random nonce, and no envelope, wrap or commitment.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EnvelopeBench {
  private static final KekVersion V1 = new KekVersion(1);
  private static final KekVersion V2 = new KekVersion(2);
  private static final FieldLocation LOCATION = new FieldLocation("customers", "17", "ssn");

  @Param({"64", "1024"})
  public int bytes;

  private final SecureRandom random = new SecureRandom();
  private final EnvelopeCipher cipher =
      new EnvelopeCipher(KekSet.of(KeyringName.MAIN, List.of(kek(V1), kek(V2))), random);
  private SecretBytes value = SecretBytes.copyOf(new byte[0]);
  private Envelope envelope = seal();

  private final SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
  private byte[] plain = new byte[0];
  private byte[] sealed = new byte[0];

  @Setup
  public void prepare() throws GeneralSecurityException {
    plain = new byte[bytes];
    random.nextBytes(plain);
    value = SecretBytes.copyOf(plain);
    envelope = seal();
    sealed = plainGcmEncrypt();
  }

  @Benchmark
  public SealResult sealValue() {
    return cipher.seal(V1, LOCATION, value);
  }

  @Benchmark
  public OpenResult openValue() {
    return cipher.open(LOCATION, envelope);
  }

  @Benchmark
  public RewrapResult rewrapValue() {
    return cipher.rewrap(LOCATION, envelope, V2);
  }

  @Benchmark
  public byte[] plainGcmEncrypt() throws GeneralSecurityException {
    byte[] nonce = new byte[12];
    random.nextBytes(nonce);
    Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
    gcm.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
    byte[] out = new byte[nonce.length + plain.length + 16];
    System.arraycopy(nonce, 0, out, 0, nonce.length);
    gcm.doFinal(plain, 0, plain.length, out, nonce.length);
    return out;
  }

  @Benchmark
  public byte[] plainGcmDecrypt() throws GeneralSecurityException {
    Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
    gcm.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, sealed, 0, 12));
    return gcm.doFinal(sealed, 12, sealed.length - 12);
  }

  private Envelope seal() {
    return ((Sealed) cipher.seal(V1, LOCATION, value)).envelope();
  }

  private SoftwareKek kek(KekVersion version) {
    return new SoftwareKek(version, SecretBytes.random(SoftwareKek.BYTES, random), random);
  }
}
