package keyfleet.kms.grpc;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.Optional;
import keyfleet.crypto.RandomNonceAead;
import keyfleet.kms.localkek.KmsCiphertext;
import keyfleet.kms.state.CallRefusal;
import keyfleet.kms.v2.DecryptRequest;
import keyfleet.kms.v2.EncryptRequest;

/// Checks the limits and the form of a request before the plugin works on it.
final class RequestValidator {
  /// The ciphertext has annotation byte for the format besides nonce and tag.
  static final int MAX_PLAINTEXT = KmsCiphertext.MAX_BYTES - 1 - RandomNonceAead.OVERHEAD_BYTES;

  static final int MAX_UID = 256;
  static final int MAX_KEY_ID = 1024;
  static final int MAX_ANNOTATIONS = 32 * 1024;

  private RequestValidator() {}

  static Optional<CallRefusal> validate(EncryptRequest request) {
    int size = request.getPlaintext().size();
    if (size == 0) {
      return invalid("the plaintext is empty");
    }
    if (size > MAX_PLAINTEXT) {
      return invalid(
          "the plaintext has %d bytes; at most %d fit into a ciphertext of %d"
              .formatted(size, MAX_PLAINTEXT, KmsCiphertext.MAX_BYTES));
    }
    return validateUid(request.getUid());
  }

  static Optional<CallRefusal> validate(DecryptRequest request) {
    int size = request.getCiphertext().size();
    if (size == 0 || size > KmsCiphertext.MAX_BYTES) {
      return invalid(
          "a ciphertext must have 1 to %d bytes, not %d".formatted(KmsCiphertext.MAX_BYTES, size));
    }
    if (request.getKeyId().isEmpty() || request.getKeyId().length() > MAX_KEY_ID) {
      return invalid(
          "a key_id must have 1 to %d characters, not %d"
              .formatted(MAX_KEY_ID, request.getKeyId().length()));
    }
    return validateAnnotations(request.getAnnotationsMap()).or(() -> validateUid(request.getUid()));
  }

  private static Optional<CallRefusal> validateAnnotations(Map<String, ByteString> annotations) {
    long size = 0;
    for (var annotation : annotations.entrySet()) {
      size += annotation.getKey().length() + annotation.getValue().size();
      if (!annotation.getKey().equals(KmsCiphertext.ANNOTATION)) {
        return invalid("the request has an annotation that this plugin does not make");
      }
    }
    return size > MAX_ANNOTATIONS
        ? invalid("the annotations have %d bytes; the limit is %d".formatted(size, MAX_ANNOTATIONS))
        : Optional.empty();
  }

  private static Optional<CallRefusal> validateUid(String uid) {
    if (uid.isEmpty()) {
      return invalid("the uid is empty");
    }
    return uid.length() > MAX_UID
        ? invalid("the uid has %d characters; the limit is %d".formatted(uid.length(), MAX_UID))
        : Optional.empty();
  }

  static CallRefusal ciphertextTooLong(int size) {
    return CallRefusal.invalidRequest(
        "the ciphertext would have %d bytes; an API server stores at most %d"
            .formatted(size, KmsCiphertext.MAX_BYTES));
  }

  private static Optional<CallRefusal> invalid(String sentence) {
    return Optional.of(CallRefusal.invalidRequest(sentence));
  }
}
