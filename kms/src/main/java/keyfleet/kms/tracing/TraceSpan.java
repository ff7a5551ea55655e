package keyfleet.kms.tracing;

import java.util.List;
import java.util.Map;

/// A stretch of work in a trace, ended once. For any thread. It never learns a plaintext, a key or
/// an annotation's value.
public interface TraceSpan {
  /// The parts of the work that may take long.
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

  /// What the work is about, with nothing in it that is not in the log too.
  ///
  /// @param uid empty if no call asked for the work
  /// @param keyIdHash empty if there is no key_id
  /// @param annotations their names
  record Subject(String uid, String keyIdHash, List<String> annotations) {
    public static final Subject UNKNOWN = new Subject("", "", List.of());

    public Subject {
      annotations = List.copyOf(annotations);
    }
  }

  /// Whether anybody will see it. If not, [#describe] need not be said.
  boolean isRecorded();

  /// Said before children begin: they are about the same.
  void describe(Subject subject);

  TraceSpan startChild(Stage stage);

  /// Empty if there is no trace.
  String traceId();

  /// What a remote is sent that works for this span; empty if there is no trace.
  Map<String, String> headers();

  /// The work is done, or given up.
  ///
  /// @param code of gRPC
  void end(int code);
}
