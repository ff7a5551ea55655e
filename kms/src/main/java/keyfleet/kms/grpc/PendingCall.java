package keyfleet.kms.grpc;

import java.util.Collection;
import java.util.List;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.kms.tracing.TraceSpan.Subject;

/// A call that began.
record PendingCall(KmsMethod kmsMethod, String uid, long beganNanos, TraceSpan span) {
  /// What the call is about, as far as it is known.
  ///
  /// @param keyId empty if there is none
  void describe(String keyId, Collection<String> annotations) {
    if (span.isRecorded()) {
      String hash = keyId.isEmpty() ? "" : new KmsKeyId(keyId).hash();
      String asked = kmsMethod == KmsMethod.STATUS ? "" : uid; // that call has none
      span.describe(new Subject(asked, hash, List.copyOf(annotations)));
    }
  }
}
