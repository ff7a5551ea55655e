package keyfleet.kms.tracing;

import java.util.List;
import java.util.Map;

/// A span of work in a trace, ended once. It never contains a plaintext, a key or the value of an
/// annotation. Safe for any number of threads.
public interface TraceSpan {
  /// The parts of the work that can take long.
  enum Stage {
    MAKE_LOCAL_KEK("make local KEK"),
    REMOTE_WRAP("remote wrap"),
    REMOTE_UNWRAP("remote unwrap");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  /// What the work is about. It contains only what is in the log too.
  ///
  /// @param uid empty if the work belongs to no call
  /// @param keyIdHash empty if there is no key_id
  /// @param annotations their names
  record Subject(String uid, String keyIdHash, List<String> annotations) {
    public static final Subject UNKNOWN = new Subject("", "", List.of());

    public Subject {
      annotations = List.copyOf(annotations);
    }
  }

  /// Whether the span is recorded. If not, the caller need not call [#describe].
  boolean isRecorded();

  /// Call this before starting children: they have the same subject.
  void describe(Subject subject);

  TraceSpan startChild(Stage stage);

  /// Empty if there is no trace.
  String traceId();

  /// The headers for a remote that works for this span; empty if there is no trace.
  Map<String, String> headers();

  /// Ends the span: the work is done or given up.
  ///
  /// @param code the status code of gRPC
  void end(int code);
}
