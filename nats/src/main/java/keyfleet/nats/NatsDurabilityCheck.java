package keyfleet.nats;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.nats.NatsMonitorClient.ServerReport;
import keyfleet.nats.NatsMonitorClient.Sync;
import keyfleet.nats.NatsSettings.DeclaredSync;
import keyfleet.nats.NatsSettings.Use;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.StoreCheck;

/// Whether an acknowledged write outlives a power failure. By default a server syncs every two
/// minutes and acknowledges before; a keystore may not rest on that.
final class NatsDurabilityCheck {
  private static final String REMEDY =
      "sync_interval: always in the jetstream block of each server; then"
          + " ?monitor=http://HOST:8222,… to show it, or ?sync_interval=always to vouch for it"
          + " (?use=heartbeats to hold no keystore)";

  private final NatsSettings settings;

  NatsDurabilityCheck(NatsSettings settings) {
    this.settings = settings;
  }

  /// What is known about the cluster of the server `serverId`, where `seen` is what monitors
  /// showed.
  StoreCheck check(String serverId, List<ServerReport> reports) {
    if (reports.stream().anyMatch(it -> it.sync() == Sync.LATER)) {
      return refuseUnlessHeartbeatsOnly(
          "a server acknowledges before it syncs: its monitor shows no sync_interval: always");
    }
    Set<String> reportedIds =
        reports.stream().map(ServerReport::serverId).collect(Collectors.toSet());
    int size = reports.stream().mapToInt(ServerReport::clusterSize).max().orElse(0);
    if (!reports.isEmpty() && reportedIds.contains(serverId) && reportedIds.size() >= size) {
      return StoreCheck.ok(
          "each of %d servers syncs each write before it acknowledges"
              .formatted(reportedIds.size()));
    }
    if (settings.declaredSync() == DeclaredSync.SYNC_ALWAYS) {
      return StoreCheck.warn(
          "that writes are synced before they are acknowledged is declared, and was seen on %d servers"
              .formatted(reportedIds.size()),
          "?monitor= with the monitoring endpoint of each server");
    }
    return refuseUnlessHeartbeatsOnly(
        reports.isEmpty()
            ? "whether writes are synced before they are acknowledged is not known"
            : "monitors showed %d servers, of %d, or not the one we are connected to"
                .formatted(reportedIds.size(), size));
  }

  /// An endpoint that does not answer is no reason to stop when the URL vouches.
  List<ServerReport> fetchReports() {
    try {
      return NatsMonitorClient.fetchReports(settings.monitors());
    } catch (StoreException e) {
      if (settings.declaredSync() == DeclaredSync.NONE && settings.use() == Use.EVERYTHING) {
        throw e;
      }
      return List.of();
    }
  }

  private StoreCheck refuseUnlessHeartbeatsOnly(String sentence) {
    if (settings.use() == Use.EVERYTHING) {
      throw new StoreRefusedException(sentence, REMEDY);
    }
    return StoreCheck.warn(sentence + "; only heartbeats are kept here", REMEDY);
  }
}
