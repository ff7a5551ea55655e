package keyfleet.kms.grpc;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.RandomNonceAead;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;

/// What is wrong with a call, before anything is done about it.
final class RequestValidator {
  /// One byte says the format.
  static final int MAX_PLAINTEXT = KmsCiphertext.MAX_BYTES - 1 - RandomNonceAead.OVERHEAD_BYTES;

  static final int MAX_UID = 256;
  static final int MAX_KEY_ID = 1024;
  static final int MAX_ANNOTATIONS = 32 * 1024;

  private RequestValidator() {}

  static Optional<CallRefusal> check(EncryptRequest request) {
    int size = request.getPlaintext().size();
    if (size == 0) {
      return bad("the plaintext is empty");
    }
    if (size > MAX_PLAINTEXT) {
      return bad(
          "the plaintext has %d bytes, and at most %d fit into a ciphertext of %d"
              .formatted(size, MAX_PLAINTEXT, KmsCiphertext.MAX_BYTES));
    }
    return uid(request.getUid());
  }

  static Optional<CallRefusal> check(DecryptRequest request) {
    int size = request.getCiphertext().size();
    if (size == 0 || size > KmsCiphertext.MAX_BYTES) {
      return bad("a ciphertext has 1 to %d bytes, not %d".formatted(KmsCiphertext.MAX_BYTES, size));
    }
    if (request.getKeyId().isEmpty() || request.getKeyId().length() > MAX_KEY_ID) {
      return bad("a key_id has 1 to %d characters".formatted(MAX_KEY_ID));
    }
    return annotations(request.getAnnotationsMap()).or(() -> uid(request.getUid()));
  }

  private static Optional<CallRefusal> annotations(Map<String, ByteString> annotations) {
    long size = 0;
    for (var one : annotations.entrySet()) {
      size += one.getKey().length() + one.getValue().size();
      if (!one.getKey().equals(KmsCiphertext.ANNOTATION)) {
        return bad("there is an annotation that this plugin never makes");
      }
    }
    return size > MAX_ANNOTATIONS
        ? bad("the annotations have %d bytes, at most %d".formatted(size, MAX_ANNOTATIONS))
        : Optional.empty();
  }

  private static Optional<CallRefusal> uid(String uid) {
    if (uid.isEmpty()) {
      return bad("the uid is empty");
    }
    return uid.length() > MAX_UID
        ? bad("the uid has more than %d characters".formatted(MAX_UID))
        : Optional.empty();
  }

  static CallRefusal tooLong(int size) {
    return CallRefusal.badCall(
        "the ciphertext would have %d bytes, and at most %d are stored"
            .formatted(size, KmsCiphertext.MAX_BYTES));
  }

  private static Optional<CallRefusal> bad(String sentence) {
    return Optional.of(CallRefusal.badCall(sentence));
  }
}
