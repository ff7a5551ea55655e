package keyfleet.kms.grpc;

import java.util.Collection;
import java.util.List;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.kms.tracing.TraceSpan.Subject;

/// A call that has begun and has no reply yet.
record PendingCall(KmsMethod method, String uid, long startNanos, TraceSpan span) {
  /// Describes the call in its span, as far as it is known.
  ///
  /// @param keyId empty if there is none
  void describe(String keyId, Collection<String> annotations) {
    if (span.isRecorded()) {
      String hash = keyId.isEmpty() ? "" : new KmsKeyId(keyId).hash();
      String callUid = method == KmsMethod.STATUS ? "" : uid; // Status has no UID
      span.describe(new Subject(callUid, hash, List.copyOf(annotations)));
    }
  }
}
