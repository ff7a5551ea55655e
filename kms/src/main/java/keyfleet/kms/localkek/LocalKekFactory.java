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

/// Makes local KEKs, unwraps those of others, and keeps what it has. For any thread.
public final class LocalKekFactory {
  /// As in an envelope; a provider that makes longer ones is of no use here.
  private static final int MAX_WRAPPED = 4096;

  private final LoadedKeys keys;
  private final RemoteKekClient remoteKekClient;
  private final LocalKekCache cache;
  private final SecureRandom random;
  private final LongSupplier clock;

  public LocalKekFactory(
      LoadedKeys keys,
      RemoteKekClient remoteKekClient,
      LocalKekCache cache,
      SecureRandom random,
      LongSupplier clock) {
    this.keys = keys;
    this.remoteKekClient = remoteKekClient;
    this.cache = cache;
    this.random = random;
    this.clock = clock;
  }

  public Optional<Kek> findKek(KekVersion version) {
    return keys.find(version);
  }

  /// One call to the remote.
  public LocalKek create(String keyringId, KmsKeyId kmsKeyId, Kek kek) {
    Dek dek = Dek.random(random);
    byte[] wrapped = remoteKekClient.wrap(kek, dek, KmsAad.ofLocalKek(keyringId, kmsKeyId.text()));
    if (wrapped.length > MAX_WRAPPED) {
      throw new PluginException(
          "the key's provider wraps a key in %d bytes, and at most %d are taken"
              .formatted(wrapped.length, MAX_WRAPPED),
          "another provider");
    }
    LocalKek.Id id = new LocalKek.Id(kmsKeyId.text(), ByteString.copyFrom(wrapped));
    LocalKek made = new LocalKek(keyringId, id, dek, clock.getAsLong());
    cache.put(made);
    return made;
  }

  @Nullable
  public LocalKek findCached(LocalKek.Id id) {
    return cache.find(id);
  }

  /// One call to the remote. Nothing if the remote's key did not wrap it for this key_id.
  public Optional<LocalKek> unwrap(String keyringId, LocalKek.Id id, Kek kek) {
    byte[] aad = KmsAad.ofLocalKek(keyringId, id.keyId());
    Optional<LocalKek> found =
        remoteKekClient
            .unwrap(kek, id.wrapped().toByteArray(), aad)
            .map(dek -> new LocalKek(keyringId, id, dek, clock.getAsLong()));
    found.ifPresent(cache::put);
    return found;
  }

  /// For a key that seals one value.
  public byte[] wrap(Kek kek, Dek dek, byte[] aad) {
    return remoteKekClient.wrap(kek, dek, aad);
  }

  /// For a key that seals one value.
  public Optional<Dek> unwrap(Kek kek, byte[] wrapped, byte[] aad) {
    return remoteKekClient.unwrap(kek, wrapped, aad);
  }
}
