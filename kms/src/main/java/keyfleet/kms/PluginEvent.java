package keyfleet.kms;

import java.util.List;

/// Something that an operator of a plugin would want to read, once. No words hold a secret.
public sealed interface PluginEvent {
  String message();

  default Severity severity() {
    return Severity.INFO;
  }

  enum Severity {
    /// A line for each call, for who asked for it.
    DEBUG,
    INFO,
    /// Something is missing, and mends itself or waits for a person.
    WARNING
  }

  record Listening(String socket, String transport) implements PluginEvent {
    @Override
    public String message() {
      return "serves KMS v2 at unix://" + socket + " through " + transport;
    }
  }

  record StartedFromSnapshot(String keyIdHash, long epoch) implements PluginEvent {
    @Override
    public String message() {
      return "starts from its snapshot of epoch " + epoch + ", key_id hash " + keyIdHash;
    }
  }

  record KeyAnnounced(String keyIdHash, String version, long epoch) implements PluginEvent {
    @Override
    public String message() {
      return "announces key_id hash %s, which is %s since epoch %d"
          .formatted(keyIdHash, version, epoch);
    }
  }

  record LocalKekReplaced(String keyIdHash, long uses) implements PluginEvent {
    @Override
    public String message() {
      return "replaced the local KEK of key_id hash %s after %d values".formatted(keyIdHash, uses);
    }
  }

  record WriteKeyUnavailable(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "cannot write under the key that the fleet wants, and tries again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ReconcileFailed(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "stays with what it has announced, and tries again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// Somebody rotated the key where it lives. That announces nothing: an operator does.
  record CandidateVersion(String version) implements PluginEvent {
    @Override
    public String message() {
      return "%s is there and not announced: a candidate. Try: keyfleet kek announce --version=%s"
          .formatted(version, version.substring(1));
    }
  }

  record WritesStopped(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "Status and Encrypt refuse: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record KeystoreIgnored(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "does not take over the keystore: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record JoinFailed(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "has not joined its fleet, and tries again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ProviderUnavailable(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "the key's provider is not to be had: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ProviderRecovered() implements PluginEvent {
    @Override
    public String message() {
      return "the key's provider answers again";
    }
  }

  record PeerRefused(long uid) implements PluginEvent {
    @Override
    public String message() {
      return "closed a connection of user " + uid + ", who is neither this process's nor root";
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// Nobody foresaw it. Its message might quote a value, so only its kind and place are said.
  record UnexpectedFailure(String activity, String exception, String place) implements PluginEvent {
    public static UnexpectedFailure of(String what, RuntimeException e) {
      StackTraceElement[] trace = e.getStackTrace();
      String place = trace.length == 0 ? "an unknown place" : trace[0].toString();
      return new UnexpectedFailure(what, e.getClass().getSimpleName(), place);
    }

    @Override
    public String message() {
      return "%s broke off, which is a defect: %s at %s".formatted(activity, exception, place);
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// Which call it was.
  ///
  /// @param traceId empty if nobody traces the call
  record CallInfo(String method, String uid, String traceId) {}

  /// A call was answered.
  ///
  /// @param keyIdHash `-` if the call had none
  record CallServed(CallInfo callInfo, String code, String keyIdHash, List<String> annotations)
      implements PluginEvent {
    public CallServed {
      annotations = List.copyOf(annotations);
    }

    @Override
    public String message() {
      String words =
          "%s uid=%s code=%s key_id_hash=%s annotations=%s"
              .formatted(callInfo.method(), callInfo.uid(), code, keyIdHash, annotations);
      return callInfo.traceId().isEmpty() ? words : words + " trace_id=" + callInfo.traceId();
    }

    @Override
    public Severity severity() {
      return Severity.DEBUG;
    }
  }
}
