package keyfleet.member.heartbeat;

import java.util.List;
import java.util.Map;
import keyfleet.crypto.KekVersion;
import keyfleet.member.MembershipState;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// The result of one round.
///
/// @param providerByVersion the provider of each loaded version
/// @param otherBytes what to do about each loaded version whose bytes are not those of the fleet
/// @param providerFaults a sentence for each provider that failed
/// @param storeFailure why the store did not answer; the state is then that of the round before
public record HeartbeatResult(
    MembershipState state,
    Sealing sealing,
    Map<KekVersion, String> providerByVersion,
    Map<KekVersion, String> otherBytes,
    List<String> providerFaults,
    @Nullable StoreException storeFailure) {
  /// Whether the process may seal at the end of the round.
  enum Sealing {
    ENABLED,
    DISABLED
  }

  public HeartbeatResult {
    providerByVersion = Map.copyOf(providerByVersion);
    otherBytes = Map.copyOf(otherBytes);
    providerFaults = List.copyOf(providerFaults);
  }
}
