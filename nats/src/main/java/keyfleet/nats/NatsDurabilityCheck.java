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

/// Checks whether acknowledged writes survive a power failure. By default a server acknowledges a
/// write at once and syncs every two minutes, which is not enough for a keystore.
final class NatsDurabilityCheck {
  private static final String REMEDY =
      "sync_interval: always in the jetstream block of each server; then"
          + " ?monitor=http://HOST:8222,… to show it, or ?sync_interval=always to declare it"
          + " (?use=heartbeats to store heartbeats only)";

  private final NatsSettings settings;

  NatsDurabilityCheck(NatsSettings settings) {
    this.settings = settings;
  }

  /// Judges the cluster of the server `serverId` by the reports of its monitoring endpoints.
  StoreCheck check(String serverId, List<ServerReport> reports) {
    if (reports.stream().anyMatch(it -> it.sync() == Sync.LATER)) {
      return refuseUnlessHeartbeatsOnly(
          "a server acknowledges writes before they are on disk: its monitor does not show"
              + " sync_interval: always");
    }
    Set<String> reportedIds =
        reports.stream().map(ServerReport::serverId).collect(Collectors.toSet());
    int size = reports.stream().mapToInt(ServerReport::clusterSize).max().orElse(0);
    if (!reports.isEmpty() && reportedIds.contains(serverId) && reportedIds.size() >= size) {
      return StoreCheck.ok(
          "each of %d servers syncs each write to disk before it acknowledges it"
              .formatted(reportedIds.size()));
    }
    if (settings.declaredSync() == DeclaredSync.SYNC_ALWAYS) {
      return StoreCheck.warn(
          "the URL declares sync_interval=always, and monitors showed it on %d servers"
              .formatted(reportedIds.size()),
          "?monitor= with the monitoring endpoint of each server");
    }
    return refuseUnlessHeartbeatsOnly(
        reports.isEmpty()
            ? "it is unknown whether writes are on disk before they are acknowledged"
            : "monitors showed %d of %d servers, or not the server that this process is connected to"
                .formatted(reportedIds.size(), size));
  }

  /// An endpoint that does not answer is an error only if the URL does not declare durability.
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
    return StoreCheck.warn(sentence + "; only heartbeats are stored here", REMEDY);
  }
}
