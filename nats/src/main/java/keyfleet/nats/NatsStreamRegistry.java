package keyfleet.nats;

import io.nats.client.Message;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.nats.NatsSettings.Use;
import keyfleet.store.Bucket;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoreTime;
import keyfleet.store.engine.LatestStoreTime;

/// Creates a bucket's stream on first use, or checks the configuration of an existing one.
final class NatsStreamRegistry {
  static final String FORMAT = "1";

  private static final String FORMAT_METADATA = "keyfleet-format";
  private static final String NAMESPACE_METADATA = "keyfleet-space";

  /// In capitals, which a bucket's name cannot contain.
  private static final String CLOCK_STREAM = "KEYFLEET";

  private static final Duration DUPLICATE_WINDOW = Duration.ofMinutes(2);
  private static final int CLUSTER_REPLICAS = 3;

  private final NatsConnection connection;
  private final NatsSettings settings;
  private final LatestStoreTime latestTime;
  private final boolean isForReading;
  private final Map<String, NatsStream> known = new ConcurrentHashMap<>();

  NatsStreamRegistry(
      NatsConnection connection,
      NatsSettings settings,
      LatestStoreTime latestTime,
      boolean isForReading) {
    this.isForReading = isForReading;
    this.connection = connection;
    this.settings = settings;
    this.latestTime = latestTime;
  }

  NatsStream streamOf(Bucket bucket) {
    NatsStream stream = known.get(bucket.name());
    if (stream == null) {
      stream = new NatsStream(bucket, bucketName(bucket.name()));
      prepare(stream);
      known.put(bucket.name(), stream);
    }
    if (!stream.bucket().equals(bucket)) {
      throw new IllegalArgumentException(
          "bucket exists as " + stream.bucket() + ", not as " + bucket);
    }
    return stream;
  }

  /// Whether a read of the bucket can find anything. A command that only reads creates no stream.
  boolean canHaveEntries(Bucket bucket) {
    return !isForReading
        || known.containsKey(bucket.name())
        || exists(new NatsStream(bucket, bucketName(bucket.name())));
  }

  boolean exists(NatsStream stream) {
    return fetchInfo(stream, "").getApiErrorCode() != NatsErrors.STREAM_NOT_FOUND;
  }

  /// A stream without messages. Its leader's clock is store time, and creating it proves that
  /// streams can be created.
  NatsStream clockStream() {
    return new NatsStream(new Bucket.Lasting("anchor"), bucketName(CLOCK_STREAM));
  }

  /// On how many servers each write is stored.
  int replicas() {
    int defaultReplicas = isClustered() ? CLUSTER_REPLICAS : 1;
    return settings.replicas() > 0 ? settings.replicas() : defaultReplicas;
  }

  boolean isClustered() {
    return connection.server().getCluster() != null;
  }

  void prepare(NatsStream stream) {
    if (settings.use() == Use.HEARTBEATS
        && stream.bucket() instanceof Bucket.Lasting
        && !stream.equals(clockStream())) {
      throw new StoreRefusedException(
          "%s was opened for heartbeats only, but bucket %s must not expire"
              .formatted(connection.url(), stream.bucket().name()),
          "sync_interval: always in the server's jetstream block, then remove use=heartbeats");
    }
    StreamInfo info = fetchInfo(stream, "");
    if (info.getApiErrorCode() == NatsErrors.STREAM_NOT_FOUND) {
      info = create(stream);
    }
    check(stream, info);
  }

  /// The stream's state as its leader reports it, with the leader's clock.
  StreamInfo fetchInfo(NatsStream stream, String body) {
    return new StreamInfo(connection.callApi("STREAM.INFO." + stream.name(), body));
  }

  StoreTime fetchTime(NatsStream stream) {
    return storeTime(stream, fetchInfo(stream, ""));
  }

  StoreTime storeTime(NatsStream stream, StreamInfo info) {
    if (info.hasError()) {
      throw NatsErrors.toStoreException("stream " + stream.name() + " reports no time", info);
    }
    if (info.getTimestamp() == null) {
      throw new StoreException("stream " + stream.name() + " reports no time");
    }
    return latestTime.observe(info.getTimestamp().toInstant().toEpochMilli());
  }

  LatestStoreTime latestTime() {
    return latestTime;
  }

  NatsConnection connection() {
    return connection;
  }

  /// If another process has just created the stream, returns that one.
  private StreamInfo create(NatsStream stream) {
    Message answer =
        connection.callApi("STREAM.CREATE." + stream.name(), configuration(stream).toJson());
    StreamInfo created = new StreamInfo(answer);
    return created.getApiErrorCode() == NatsErrors.STREAM_NAME_IN_USE
        ? fetchInfo(stream, "")
        : created;
  }

  /// The configuration of `nats kv add`, with per-message lifetimes for the markers of deleted
  /// keys.
  private StreamConfiguration configuration(NatsStream stream) {
    Duration age = maxAge(stream);
    boolean isShorter = !age.isZero() && age.compareTo(DUPLICATE_WINDOW) < 0;
    return StreamConfiguration.builder()
        .name(stream.name())
        .subjects(stream.filter(Prefix.ALL))
        .maxMessagesPerSubject(1)
        .maxAge(age)
        .duplicateWindow(isShorter ? age : DUPLICATE_WINDOW)
        .storageType(StorageType.File)
        .replicas(replicas())
        .discardPolicy(DiscardPolicy.New)
        .allowRollup(true)
        .denyDelete(true)
        .allowDirect(true)
        .allowMessageTtl()
        .metadata(Map.of(FORMAT_METADATA, FORMAT, NAMESPACE_METADATA, settings.namespace()))
        .build();
  }

  private void check(NatsStream stream, StreamInfo info) {
    if (info.hasError()) {
      throw NatsErrors.toStoreException(
          "stream " + stream.name() + " cannot be created or read", info);
    }
    StreamConfiguration found = info.getConfiguration();
    Map<String, String> metadata = found.getMetadata();
    checkOwner(stream, metadata == null ? Map.of() : metadata);
    if (!maxAge(stream).equals(found.getMaxAge())) {
      throw new IllegalArgumentException(
          "the stream of %s has a lifetime of %s (zero is none)"
              .formatted(stream.bucket(), found.getMaxAge()));
    }
    boolean isUsable =
        found.getStorageType() == StorageType.File
            && found.getMaxMsgsPerSubject() == 1
            && found.getAllowDirect()
            && found.getAllowMessageTtl();
    if (!isUsable) {
      throw wrongConfiguration(
          stream,
          "is in memory, keeps more than one message per subject, or lacks direct get or message"
              + " TTL",
          "");
    }
    if (found.getReplicas() < replicas()) {
      throw wrongConfiguration(
          stream,
          "has %d replicas, fewer than %d".formatted(found.getReplicas(), replicas()),
          " --replicas " + replicas());
    }
  }

  private void checkOwner(NatsStream stream, Map<String, String> metadata) {
    String format = metadata.getOrDefault(FORMAT_METADATA, "none");
    if (!format.equals(FORMAT)) {
      throw new StoreRefusedException(
          "stream %s has format %s; this Keyfleet supports format %s"
              .formatted(stream.name(), format, FORMAT),
          format.equals("none")
              ? "nats://HOST/WORD, to separate Keyfleet's streams from others"
              : "the Keyfleet version that created it");
    }
    if (!settings.namespace().equals(metadata.getOrDefault(NAMESPACE_METADATA, ""))) {
      throw new StoreRefusedException(
          "stream %s belongs to nats://HOST/%s"
              .formatted(stream.name(), metadata.get(NAMESPACE_METADATA)),
          "another WORD in nats://HOST/WORD");
    }
  }

  private static StoreRefusedException wrongConfiguration(
      NatsStream stream, String what, String how) {
    return new StoreRefusedException(
        "stream " + stream.name() + " " + what, "nats stream edit " + stream.name() + how);
  }

  private static Duration maxAge(NatsStream stream) {
    return switch (stream.bucket()) {
      case Bucket.Lasting _ -> Duration.ZERO;
      case Bucket.Expiring(_, var lifetime) -> lifetime;
    };
  }

  private String bucketName(String name) {
    return settings.namespace().isEmpty() ? name : settings.namespace() + "-" + name;
  }
}
