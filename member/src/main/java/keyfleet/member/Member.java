package keyfleet.member;

import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.heartbeat.MemberThreads;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.store.Kv;

/// This process as a member of its fleet. It writes its heartbeat by itself, loads new keys as they
/// appear, and seals and opens values. An application has one member for each keyring; several
/// members may share an engine.
///
/// Opening never waits for the store, nor for a provider that looks for new keys. Sealing stops
/// when the store has not answered for the length of a lease, and resumes when it answers again.
/// After [#close] the process is no longer in the roster. The caller closes the engines and
/// providers.
public final class Member implements AutoCloseable {
  private final String instance;
  private final LoadedKeys keys;
  private final Membership membership;
  private final MemberThreads memberThreads;
  private final Map<String, SealedRecords> collections;

  Member(
      String instance,
      LoadedKeys keys,
      Membership membership,
      MemberThreads memberThreads,
      Map<String, SealedRecords> collections) {
    this.instance = instance;
    this.keys = keys;
    this.membership = membership;
    this.memberThreads = memberThreads;
    this.collections = Map.copyOf(collections);
  }

  /// Builds a member of the fleet that coordinates through `kv`.
  public static MemberBuilder builder(Kv kv, KeyringName keyring) {
    return new MemberBuilder(kv, keyring);
  }

  public String instance() {
    return instance;
  }

  public KeyringName keyring() {
    return keys.keyring();
  }

  /// Returns the cipher of a field. Its collection was declared before joining.
  public FieldCipher cipher(String collection, String field) {
    return records(collection).cipher().field(field);
  }

  /// Returns a collection that was declared before joining.
  public SealedRecords records(String collection) {
    SealedRecords records = collections.get(collection);
    if (records == null) {
      throw new IllegalArgumentException(
          "collection %s is not declared; declared are %s"
              .formatted(collection, collections.keySet()));
    }
    return records;
  }

  public MembershipState state() {
    return membership.state();
  }

  /// Whether this process may seal now. A process that is not ready can still open.
  public boolean isReady() {
    return membership.canSeal();
  }

  /// Whether this process may seal, and if not, why: in words for people.
  public String readinessText() {
    return membership.readinessText();
  }

  /// The version that the fleet seals under, as far as this process knows it.
  public Optional<KekVersion> activeVersion() {
    return membership.state().trustedKeystore().map(Keystore::active);
  }

  /// The keys that this process has loaded, for other parts of the process such as a worker that
  /// rewraps records. Only the member refreshes them.
  public LoadedKeys keys() {
    return keys;
  }

  /// Stops sealing and deletes the heartbeat, so that no gate waits for it to expire. Returns
  /// within seconds, even if the store does not answer.
  @Override
  public void close() {
    if (membership.stopSealing()) {
      memberThreads.stop();
    }
  }
}
