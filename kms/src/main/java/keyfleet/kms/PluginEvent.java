package keyfleet.kms;

import java.util.List;

/// Something that the operator of a plugin needs to know, reported once. No message contains a
/// secret.
public sealed interface PluginEvent {
  String message();

  default Severity severity() {
    return Severity.INFO;
  }

  enum Severity {
    /// A line for each call, if the operator turned the call log on.
    DEBUG,
    INFO,
    /// Something does not work. It recovers by itself or needs a person.
    WARNING
  }

  record Listening(String socket, String transport) implements PluginEvent {
    @Override
    public String message() {
      return "serving KMS v2 at unix://" + socket + " through " + transport;
    }
  }

  record StartedFromSnapshot(String keyIdHash, long epoch) implements PluginEvent {
    @Override
    public String message() {
      return "starting from the snapshot of epoch " + epoch + ", key_id hash " + keyIdHash;
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
      return "cannot write under the fleet's active key and will try again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ReconcileFailed(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "cannot update the announced key and will try again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// The provider has a version that the fleet does not know, for example after a rotation at the
  /// provider. Only an operator announces it.
  record CandidateVersion(String version) implements PluginEvent {
    @Override
    public String message() {
      return "the provider has %s, which is not announced: a candidate. Try: keyfleet kek announce --version=%s"
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
      return "ignoring the keystore in the store: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record JoinFailed(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "cannot join the fleet and will try again: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record CloseFailed(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "cannot stop cleanly: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ProviderUnavailable(String reason) implements PluginEvent {
    @Override
    public String message() {
      return "key provider unavailable: " + reason;
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  record ProviderRecovered() implements PluginEvent {
    @Override
    public String message() {
      return "key provider answers again";
    }
  }

  record PeerRefused(long uid) implements PluginEvent {
    @Override
    public String message() {
      return "closed a connection of user "
          + uid
          + ": only this process's user and root may connect";
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// An unexpected exception, which is a bug. Its message might quote a value, so the event has
  /// only its type and place.
  record UnexpectedFailure(String activity, String exception, String place) implements PluginEvent {
    public static UnexpectedFailure of(String what, RuntimeException e) {
      StackTraceElement[] trace = e.getStackTrace();
      String place = trace.length == 0 ? "an unknown place" : trace[0].toString();
      return new UnexpectedFailure(what, e.getClass().getSimpleName(), place);
    }

    @Override
    public String message() {
      return "%s failed unexpectedly, which is a bug: %s at %s"
          .formatted(activity, exception, place);
    }

    @Override
    public Severity severity() {
      return Severity.WARNING;
    }
  }

  /// Identifies a call.
  ///
  /// @param traceId empty if the call is not traced
  record CallInfo(String method, String uid, String traceId) {}

  /// A call was answered.
  ///
  /// @param keyIdHash `-` if the call had no key_id
  record CallServed(CallInfo call, String code, String keyIdHash, List<String> annotations)
      implements PluginEvent {
    public CallServed {
      annotations = List.copyOf(annotations);
    }

    @Override
    public String message() {
      String line =
          "%s uid=%s code=%s key_id_hash=%s annotations=%s"
              .formatted(call.method(), call.uid(), code, keyIdHash, annotations);
      return call.traceId().isEmpty() ? line : line + " trace_id=" + call.traceId();
    }

    @Override
    public Severity severity() {
      return Severity.DEBUG;
    }
  }
}
