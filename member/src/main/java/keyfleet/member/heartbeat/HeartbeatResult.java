package keyfleet.member.heartbeat;

import java.util.List;
import java.util.Map;
import keyfleet.crypto.KekVersion;
import keyfleet.member.MembershipState;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// What one round of a membership came to.
///
/// @param held the provider of each version that is loaded
/// @param keyFaults what the providers complained of, in words
/// @param silence why the store did not answer; the standing is then that of the round before
public record HeartbeatResult(
    MembershipState state,
    Sealing sealing,
    Map<KekVersion, String> providerByVersion,
    List<String> providerFaults,
    @Nullable StoreException storeFailure) {
  /// Whether the process may seal as the round ends.
  enum Sealing {
    ENABLED,
    DISABLED
  }

  public HeartbeatResult {
    providerByVersion = Map.copyOf(providerByVersion);
    providerFaults = List.copyOf(providerFaults);
  }
}
