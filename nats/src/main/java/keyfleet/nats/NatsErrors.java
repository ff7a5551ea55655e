package keyfleet.nats;

import io.nats.client.api.ApiResponse;
import java.util.Set;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// The errors of JetStream's API that the engine distinguishes, by number. The names are those of
/// the server.
final class NatsErrors {
  static final int NO_PEERS = 10005;
  static final int NO_MESSAGE = 10037;
  static final int NOT_ENABLED_FOR_ACCOUNT = 10039;
  static final int STREAM_NAME_IN_USE = 10058;
  static final int STREAM_NOT_FOUND = 10059;
  static final int WRONG_LAST_SEQUENCE = 10071;
  static final int REPLICAS_NOT_SUPPORTED = 10074;
  static final int NOT_ENABLED = 10076;

  /// Another write to the key is in flight, so the last sequence is not known yet.
  static final int LAST_SEQUENCE_UNCERTAIN = 10164;

  /// Errors before anything is proposed or stored: over a limit, a sealed stream, or another
  /// stream's subject.
  private static final Set<Integer> REJECTED = Set.of(10023, 10047, 10054, 10060, 10097, 10109);

  private NatsErrors() {}

  static boolean isLostRace(ApiResponse<?> response) {
    return Set.of(WRONG_LAST_SEQUENCE, LAST_SEQUENCE_UNCERTAIN)
        .contains(response.getApiErrorCode());
  }

  static boolean isRejected(ApiResponse<?> response) {
    return REJECTED.contains(response.getApiErrorCode());
  }

  static StoreException toStoreException(String action, ApiResponse<?> response) {
    String sentence =
        "%s: %s (%d)".formatted(action, response.getDescription(), response.getApiErrorCode());
    // The server has one number for too few servers and for servers that are down; only its text
    // tells them apart.
    if (response.getApiErrorCode() == NO_PEERS && sentence.contains("offline")) {
      return new StoreException(sentence);
    }
    return switch (response.getApiErrorCode()) {
      case NOT_ENABLED, NOT_ENABLED_FOR_ACCOUNT ->
          new StoreRefusedException(sentence, "give the account JetStream: jetstream: enabled");
      case NO_PEERS, REPLICAS_NOT_SUPPORTED ->
          new StoreRefusedException(
              sentence,
              "start as many JetStream servers as ?replicas= requires, or lower ?replicas=");
      default -> new StoreException(sentence);
    };
  }
}
