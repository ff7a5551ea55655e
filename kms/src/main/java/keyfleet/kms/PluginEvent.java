package keyfleet.kms;

import java.util.List;

/// Something that an operator of a plugin would want to read, once. No words hold a secret.
public sealed interface PluginEvent {
  String words();

  default Severity weight() {
    return Severity.NEWS;
  }

  enum Severity {
    /// A line for each call, for who asked for it.
    DETAIL,
    NEWS,
    /// Something is missing, and mends itself or waits for a person.
    TROUBLE
  }

  record Listening(String socket, String transport) implements PluginEvent {
    @Override
    public String words() {
      return "serves KMS v2 at unix://" + socket + " through " + transport;
    }
  }

  record StartedFromSnapshot(String keyIdHash, long epoch) implements PluginEvent {
    @Override
    public String words() {
      return "starts from its snapshot of epoch " + epoch + ", key_id hash " + keyIdHash;
    }
  }

  record KeyAnnounced(String keyIdHash, String version, long epoch) implements PluginEvent {
    @Override
    public String words() {
      return "announces key_id hash %s, which is %s since epoch %d"
          .formatted(keyIdHash, version, epoch);
    }
  }

  record LocalKekReplaced(String keyIdHash, long uses) implements PluginEvent {
    @Override
    public String words() {
      return "replaced the local KEK of key_id hash %s after %d values".formatted(keyIdHash, uses);
    }
  }

  record WriteKeyUnavailable(String why) implements PluginEvent {
    @Override
    public String words() {
      return "cannot write under the key that the fleet wants, and tries again: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  record ReconcileFailed(String why) implements PluginEvent {
    @Override
    public String words() {
      return "stays with what it has announced, and tries again: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  /// Somebody rotated the key where it lives. That announces nothing: an operator does.
  record CandidateVersion(String version) implements PluginEvent {
    @Override
    public String words() {
      return "%s is there and not announced: a candidate. Try: keyfleet kek announce --version=%s"
          .formatted(version, version.substring(1));
    }
  }

  record WritesStopped(String why) implements PluginEvent {
    @Override
    public String words() {
      return "Status and Encrypt refuse: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  record KeystoreIgnored(String why) implements PluginEvent {
    @Override
    public String words() {
      return "does not take over the keystore: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  record JoinFailed(String why) implements PluginEvent {
    @Override
    public String words() {
      return "has not joined its fleet, and tries again: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  record ProviderUnavailable(String why) implements PluginEvent {
    @Override
    public String words() {
      return "the key's provider is not to be had: " + why;
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  record ProviderRecovered() implements PluginEvent {
    @Override
    public String words() {
      return "the key's provider answers again";
    }
  }

  record PeerRefused(long uid) implements PluginEvent {
    @Override
    public String words() {
      return "closed a connection of user " + uid + ", who is neither this process's nor root";
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  /// Nobody foresaw it. Its message might quote a value, so only its kind and place are said.
  record UnexpectedFailure(String what, String kind, String place) implements PluginEvent {
    public static UnexpectedFailure of(String what, RuntimeException e) {
      StackTraceElement[] trace = e.getStackTrace();
      String place = trace.length == 0 ? "an unknown place" : trace[0].toString();
      return new UnexpectedFailure(what, e.getClass().getSimpleName(), place);
    }

    @Override
    public String words() {
      return "%s broke off, which is a defect: %s at %s".formatted(what, kind, place);
    }

    @Override
    public Severity weight() {
      return Severity.TROUBLE;
    }
  }

  /// Which call it was.
  ///
  /// @param traceId empty if nobody traces the call
  record CallInfo(String method, String uid, String traceId) {}

  /// A call was answered.
  ///
  /// @param keyIdHash `-` if the call had none
  record CallServed(CallInfo call, String code, String keyIdHash, List<String> annotations)
      implements PluginEvent {
    public CallServed {
      annotations = List.copyOf(annotations);
    }

    @Override
    public String words() {
      String words =
          "%s uid=%s code=%s key_id_hash=%s annotations=%s"
              .formatted(call.method(), call.uid(), code, keyIdHash, annotations);
      return call.traceId().isEmpty() ? words : words + " trace_id=" + call.traceId();
    }

    @Override
    public Severity weight() {
      return Severity.DETAIL;
    }
  }
}
