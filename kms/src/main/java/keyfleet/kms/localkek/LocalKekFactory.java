package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.function.LongSupplier;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KmsAad;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.PluginException;
import keyfleet.member.keys.LoadedKeys;
import org.jspecify.annotations.Nullable;

/// Makes local KEKs, unwraps those of other plugins, and caches both. Safe for any number of
/// threads.
public final class LocalKekFactory {
  /// The limit is the same as in an envelope. A provider that makes longer wraps cannot be used.
  private static final int MAX_WRAPPED = 4096;

  private final LoadedKeys keys;
  private final RemoteKekClient remote;
  private final LocalKekCache cache;
  private final SecureRandom random;
  private final LongSupplier clock;

  public LocalKekFactory(
      LoadedKeys keys,
      RemoteKekClient remote,
      LocalKekCache cache,
      SecureRandom random,
      LongSupplier clock) {
    this.keys = keys;
    this.remote = remote;
    this.cache = cache;
    this.random = random;
    this.clock = clock;
  }

  public Optional<Kek> findKek(KekVersion version) {
    return keys.find(version);
  }

  /// Makes a local KEK with one call to the remote. It is not in the cache yet.
  public LocalKek create(String keyringId, KmsKeyId keyId, Kek kek) {
    Dek dek = Dek.random(random);
    byte[] wrapped = wrap(kek, dek, keyringId, KmsAad.ofLocalKek(keyringId, keyId.text()));
    if (wrapped.length > MAX_WRAPPED) {
      throw new PluginException(
          "the key provider returns a wrapped key of %d bytes; the limit is %d"
              .formatted(wrapped.length, MAX_WRAPPED),
          "use another provider");
    }
    LocalKek.Id id = new LocalKek.Id(keyId.text(), ByteString.copyFrom(wrapped));
    return new LocalKek(keyringId, id, dek, random, clock.getAsLong());
  }

  public void keepWriteKey(LocalKek kek) {
    cache.keepWriteKey(kek);
  }

  @Nullable
  public LocalKek findCached(LocalKek.Id id) {
    return cache.find(id);
  }

  /// Unwraps with one call to the remote. Returns nothing if the remote's key did not wrap it for
  /// this key_id.
  public Optional<LocalKek> unwrap(LocalKek.Id id, WrappedKey key, Kek kek) {
    String keyringId = key.keyringId();
    Optional<LocalKek> found =
        unwrap(kek, key, KmsAad.ofLocalKek(keyringId, id.keyId()))
            .map(dek -> new LocalKek(keyringId, id, dek, random, clock.getAsLong()));
    found.ifPresent(cache::put);
    return found;
  }

  /// Wraps a key with one call to the remote. The result is the form of [WrappedKey].
  public byte[] wrap(Kek kek, Dek dek, String keyringId, byte[] aad) {
    ByteString wrapped = UnsafeByteOperations.unsafeWrap(remote.wrap(kek, dek, aad));
    return new WrappedKey(kek.version(), keyringId, wrapped).toBytes();
  }

  /// Unwraps with one call to the remote. Returns nothing if the remote's key did not wrap it for
  /// this AAD.
  public Optional<Dek> unwrap(Kek kek, WrappedKey key, byte[] aad) {
    return remote.unwrap(kek, key.wrapped().toByteArray(), aad);
  }
}
