package keyfleet.awskms;

import java.time.Duration;
import java.util.Set;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.NetworkErrorText;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RemoteResult;
import keyfleet.providers.RemoteResult.RetryLater;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.kms.model.DependencyTimeoutException;
import software.amazon.awssdk.services.kms.model.DisabledException;
import software.amazon.awssdk.services.kms.model.IncorrectKeyException;
import software.amazon.awssdk.services.kms.model.InvalidCiphertextException;
import software.amazon.awssdk.services.kms.model.InvalidKeyUsageException;
import software.amazon.awssdk.services.kms.model.KeyUnavailableException;
import software.amazon.awssdk.services.kms.model.KmsInvalidStateException;
import software.amazon.awssdk.services.kms.model.NotFoundException;

/// Translates failed calls to KMS into messages of this module. A message of AWS may quote the
/// request.
final class AwsKmsErrorMapper {
  private static final Set<String> BAD_CREDENTIAL_CODES =
      Set.of(
          "UnrecognizedClientException",
          "InvalidSignatureException",
          "IncompleteSignature",
          "InvalidClientTokenId",
          "MissingAuthenticationToken",
          "ExpiredTokenException");

  private final String remote;

  AwsKmsErrorMapper(String remote) {
    this.remote = remote;
  }

  /// Returns a result if a retry may help, and throws otherwise. A refusal of the data is thrown
  /// unchanged, for the unwrap that asked.
  <T> RemoteResult<T> map(String subject, SdkException failure) {
    return switch (failure) {
      case InvalidCiphertextException refused -> throw refused;
      case IncorrectKeyException refused -> throw refused;
      case AwsServiceException message -> mapServiceError(subject, message);
      case ApiCallTimeoutException _ -> new RetryLater<>("did not answer in time");
      case AbortedException e ->
          throw unavailable("was called by a thread that was interrupted", e);
      case SdkClientException e -> mapClientError(e);
      default -> throw unavailable("failed: " + NetworkErrorText.of(failure), failure);
    };
  }

  private <T> RemoteResult<T> mapServiceError(String subject, AwsServiceException e) {
    return switch (e) {
      case DisabledException _ ->
          throw keyUnavailable(subject, "is disabled; aws kms enable-key --key-id " + subject, e);
      case KmsInvalidStateException _ -> throw keyUnavailable(subject, invalidStateText(e), e);
      case NotFoundException _ ->
          throw keyUnavailable(subject, "does not exist in this account and region", e);
      case InvalidKeyUsageException _ ->
          throw keyUnavailable(
              subject, "is not for symmetric encryption; KEKs need SYMMETRIC_DEFAULT", e);
      case DependencyTimeoutException _ -> new RetryLater<>("could not reach its own key store");
      case KeyUnavailableException _ -> new RetryLater<>("cannot reach the key at the moment");
      default -> mapByCode(subject, e);
    };
  }

  private <T> RemoteResult<T> mapByCode(String subject, AwsServiceException e) {
    if (e.isThrottlingException() || e.statusCode() == 429) {
      return RemoteResult.throttled(codeOf(e), retryAfter(e));
    }
    if (e.statusCode() >= 500) {
      return new RetryLater<>("answered " + e.statusCode(), retryAfter(e));
    }
    if (BAD_CREDENTIAL_CODES.contains(codeOf(e))) {
      throw new ProviderException(
          remote + " does not know these credentials (" + codeOf(e) + ")",
          "aws sts get-caller-identity, as the user that runs keyfleet",
          e);
    }
    if (e.statusCode() == 403 || codeOf(e).equals("AccessDeniedException")) {
      throw forbidden(subject, e);
    }
    throw unavailable("answered " + e.statusCode() + " (" + codeOf(e) + ")", e);
  }

  private ProviderException forbidden(String subject, AwsServiceException e) {
    boolean isListing = subject.startsWith("list-");
    String what = isListing ? "to list aliases" : "the use of KMS key " + subject;
    String rights = isListing ? "kms:ListAliases on *" : "kms:Encrypt and kms:Decrypt on the key";
    return new ProviderException(
        remote + " forbids " + what + ": the credentials need " + rights,
        "a policy that allows " + rights,
        e);
  }

  private static String invalidStateText(AwsServiceException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("pending deletion")
        ? "is pending deletion, and all data wrapped by it will be lost; aws kms"
            + " cancel-key-deletion, then enable-key"
        : "is in a state in which it cannot be used; see aws kms describe-key";
  }

  private <T> RemoteResult<T> mapClientError(SdkClientException e) {
    if (String.valueOf(e.getMessage()).contains("credentials")) {
      throw new ProviderException(
          remote + " cannot be called: the AWS SDK finds no credentials",
          "AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role of this machine",
          e);
    }
    return new RetryLater<>("does not answer: " + NetworkErrorText.of(e));
  }

  private static Duration retryAfter(AwsServiceException e) {
    if (e.awsErrorDetails() == null || e.awsErrorDetails().sdkHttpResponse() == null) {
      return Duration.ZERO;
    }
    return e.awsErrorDetails()
        .sdkHttpResponse()
        .firstMatchingHeader("Retry-After")
        .filter(text -> text.matches("[0-9]{1,6}"))
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .orElse(Duration.ZERO);
  }

  private static String codeOf(AwsServiceException e) {
    String code = e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
    return code != null && code.matches("[A-Za-z]{1,64}") ? code : "without a code";
  }

  private KekUnavailableException keyUnavailable(String key, String reason, SdkException e) {
    return new KekUnavailableException("KMS key " + key + " " + reason, e);
  }

  private KekUnavailableException unavailable(String reason, SdkException e) {
    return new KekUnavailableException(remote + " " + reason, e);
  }
}
