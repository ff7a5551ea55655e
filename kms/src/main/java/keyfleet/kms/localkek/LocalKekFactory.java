package keyfleet.kms.localkek;

import com.google.protobuf.ByteString;
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

  /// Makes a local KEK with one call to the remote.
  public LocalKek create(String keyringId, KmsKeyId keyId, Kek kek) {
    Dek dek = Dek.random(random);
    byte[] wrapped = remote.wrap(kek, dek, KmsAad.ofLocalKek(keyringId, keyId.text()));
    if (wrapped.length > MAX_WRAPPED) {
      throw new PluginException(
          "the key provider returns a wrapped key of %d bytes; the limit is %d"
              .formatted(wrapped.length, MAX_WRAPPED),
          "use another provider");
    }
    LocalKek.Id id = new LocalKek.Id(keyId.text(), ByteString.copyFrom(wrapped));
    LocalKek made = new LocalKek(keyringId, id, dek, clock.getAsLong());
    cache.put(made);
    return made;
  }

  @Nullable
  public LocalKek findCached(LocalKek.Id id) {
    return cache.find(id);
  }

  /// Unwraps with one call to the remote. Returns nothing if the remote's key did not wrap it for
  /// this key_id.
  public Optional<LocalKek> unwrap(String keyringId, LocalKek.Id id, Kek kek) {
    byte[] aad = KmsAad.ofLocalKek(keyringId, id.keyId());
    Optional<LocalKek> found =
        remote
            .unwrap(kek, id.wrapped().toByteArray(), aad)
            .map(dek -> new LocalKek(keyringId, id, dek, clock.getAsLong()));
    found.ifPresent(cache::put);
    return found;
  }

  /// For a key that seals one value.
  public byte[] wrap(Kek kek, Dek dek, byte[] aad) {
    return remote.wrap(kek, dek, aad);
  }

  /// For a key that seals one value.
  public Optional<Dek> unwrap(Kek kek, byte[] wrapped, byte[] aad) {
    return remote.unwrap(kek, wrapped, aad);
  }
}
