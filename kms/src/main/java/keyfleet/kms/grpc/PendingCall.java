package keyfleet.kms.grpc;

import java.util.Collection;
import java.util.List;
import keyfleet.kms.KmsKeyId;
import keyfleet.kms.tracing.TraceSpan;
import keyfleet.kms.tracing.TraceSpan.Subject;

/// A call that began.
record PendingCall(KmsMethod method, String uid, long began, TraceSpan span) {
  /// What the call is about, as far as it is known.
  ///
  /// @param keyId empty if there is none
  void about(String keyId, Collection<String> annotations) {
    if (span.isRecorded()) {
      String hash = keyId.isEmpty() ? "" : new KmsKeyId(keyId).hash();
      String asked = method == KmsMethod.STATUS ? "" : uid; // that call has none
      span.about(new Subject(asked, hash, List.copyOf(annotations)));
    }
  }
}
