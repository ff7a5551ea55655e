package keyfleet.member;

import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.ReadOnly;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.MembershipHandle;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Kv;

/// This process as a member of a fleet: it beats by itself, loads keys as they come, and seals and
/// opens. One for each keyring; several may share an engine.
///
/// Opening never waits for the store, nor for a provider that looks for new keys. Sealing stops
/// when the store was silent for the length of a lease, and goes on when it answers again. After
/// [#close] the process is out of the roster; engines and providers are the caller's to close.
public final class Member implements AutoCloseable {
  private final String instance;
  private final LoadedKeys keys;
  private final MembershipHandle membership;
  private final MemberThreads memberThreads;
  private final Map<String, SealedRecords> collections;

  Member(
      String instance,
      LoadedKeys keys,
      MembershipHandle membership,
      MemberThreads memberThreads,
      Map<String, SealedRecords> collections) {
    this.instance = instance;
    this.keys = keys;
    this.membership = membership;
    this.memberThreads = memberThreads;
    this.collections = Map.copyOf(collections);
  }

  /// For the fleet that coordinates through `kv`.
  public static MemberBuilder builder(Kv kv, KeyringName keyring) {
    return new MemberBuilder(kv, keyring);
  }

  public String instance() {
    return instance;
  }

  public KeyringName keyring() {
    return keys.keyring();
  }

  /// For a field that was declared before joining.
  public FieldCipher cipher(String collection, String field) {
    return records(collection).cipher().field(field);
  }

  /// For a collection that was declared before joining.
  public SealedRecords records(String collection) {
    SealedRecords records = collections.get(collection);
    if (records == null) {
      throw new IllegalArgumentException(
          "%s is not among the declared collections, %s"
              .formatted(collection, collections.keySet()));
    }
    return records;
  }

  public MembershipState state() {
    return membership.get();
  }

  /// Whether it may seal at this moment. A process that is not ready still opens.
  public boolean isReady() {
    return membership.canSeal();
  }

  /// The version that the fleet seals under, as far as this process knows.
  public Optional<KekVersion> activeVersion() {
    return switch (membership.get()) {
      case Admitted(Keystore keystore, _) -> Optional.of(keystore.active());
      case ReadOnly(Keystore keystore, _) -> Optional.of(keystore.active());
      default -> Optional.empty();
    };
  }

  /// What it has loaded, for those who work beside it in this process, such as a worker that moves
  /// records. Only the member refreshes it.
  public LoadedKeys keys() {
    return keys;
  }

  /// Seals nothing from here on, and deletes the heartbeat, so that nobody waits for it to expire.
  /// Returns within seconds, also if the store does not answer.
  @Override
  public void close() {
    if (membership.leave()) {
      memberThreads.stop();
    }
  }
}
