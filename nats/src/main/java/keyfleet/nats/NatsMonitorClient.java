package keyfleet.nats;

import io.nats.client.support.JsonParseException;
import io.nats.client.support.JsonParser;
import io.nats.client.support.JsonValue;
import io.nats.client.support.JsonValueUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import keyfleet.store.StoreException;

/// Reads the monitoring endpoints of servers, `/varz`.
final class NatsMonitorClient {
  /// What one server reports: its id and version, whether it syncs each write, the size of its
  /// cluster, and its time.
  record ServerReport(String serverId, String version, Sync sync, int clusterSize, Instant now) {}

  enum Sync {
    ALWAYS,
    LATER
  }

  private static final Duration LIMIT = Duration.ofSeconds(4);
  private static final int OK = 200;

  private NatsMonitorClient() {}

  static List<ServerReport> fetchReports(List<URI> monitors) {
    List<ServerReport> reports = new ArrayList<>();
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build()) {
      for (URI monitor : monitors) {
        reports.add(fetchReport(client, monitor));
      }
    }
    return List.copyOf(reports);
  }

  private static ServerReport fetchReport(HttpClient client, URI monitor) {
    HttpRequest request = HttpRequest.newBuilder(monitor).timeout(LIMIT).build();
    try {
      HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
      if (response.statusCode() != OK) {
        throw new StoreException(
            "the monitoring endpoint %s answered with HTTP status %d"
                .formatted(monitor, response.statusCode()));
      }
      return toReport(monitor, JsonParser.parse(response.body()));
    } catch (JsonParseException | DateTimeException e) {
      throw new StoreException(monitor + " is not a monitoring endpoint of NATS", e);
    } catch (IOException e) {
      throw new StoreException("the monitoring endpoint " + monitor + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while reading " + monitor, e);
    }
  }

  private static ServerReport toReport(URI monitor, JsonValue varz) {
    JsonValue jetStream = JsonValueUtils.readObject(varz, "jetstream");
    JsonValue config = JsonValueUtils.readObject(jetStream, "config");
    String serverId = JsonValueUtils.readString(varz, "server_id");
    ZonedDateTime now = JsonValueUtils.readDate(varz, "now");
    if (serverId == null || now == null) {
      throw new StoreException(monitor + " is not a monitoring endpoint of NATS");
    }
    return new ServerReport(
        serverId,
        JsonValueUtils.readString(varz, "version", "0"),
        JsonValueUtils.readBoolean(config, "sync_always") ? Sync.ALWAYS : Sync.LATER,
        JsonValueUtils.readInteger(JsonValueUtils.readObject(jetStream, "meta"), "cluster_size", 1),
        now.toInstant());
  }
}
