package keyfleet.awskms;

import static keyfleet.awskms.AwsKmsFixtures.AAD;
import static keyfleet.awskms.AwsKmsFixtures.dek;
import static keyfleet.awskms.AwsKmsFixtures.kek;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RequestUid;
import keyfleet.providers.ScriptedHttpServer;
import keyfleet.providers.ScriptedHttpServer.ReceivedRequest;
import keyfleet.providers.ScriptedHttpServer.ScriptedResponse;
import keyfleet.providers.TraceHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests error responses of AWS that moto does not give.
class AwsKmsErrorMapperTest {
  private static final ScriptedResponse ALIASES =
      new ScriptedResponse(
          200,
          "{\"Truncated\":false,\"Aliases\":[{\"AliasName\":\"alias/kf-v1\",\"TargetKeyId\":\"id-1\"}]}");

  /// Lists one alias, and answers all other requests as `script` says.
  private static Function<ReceivedRequest, ScriptedResponse> answerLoadsAnd(
      Function<ReceivedRequest, ScriptedResponse> script) {
    return request ->
        request.header("X-Amz-Target").endsWith("ListAliases") ? ALIASES : script.apply(request);
  }

  private static ScriptedResponse error(int status, String code, String message) {
    return new ScriptedResponse(
        status,
        Map.of("Content-Type", "application/x-amz-json-1.1"),
        "{\"__type\":\"%s\",\"message\":\"%s\"}".formatted(code, message));
  }

  private static String unavailable(Kek kek) {
    return assertThrows(KekUnavailableException.class, () -> kek.wrap(dek(), AAD)).getMessage();
  }

  @ParameterizedTest
  @CsvSource({
    "400, DisabledException, is disabled, 1, KMS key id-1 is disabled",
    "400, KMSInvalidStateException, id-1 is pending deletion., 1, KMS key id-1 is pending deletion",
    "400, KMSInvalidStateException, it is odd, 1, KMS key id-1 is in a state in which it cannot be"
        + " used",
    "400, NotFoundException, no, 1, KMS key id-1 does not exist",
    "400, InvalidKeyUsageException, no, 1, SYMMETRIC_DEFAULT",
    "400, AccessDeniedException, no, 1, kms:Encrypt and kms:Decrypt",
    "400, ExpiredTokenException, no, 1, does not know these credentials",
    "400, SomethingNew, no, 1, answered 400 (SomethingNew)",
    "400, ThrottlingException, Rate exceeded, 4, too many calls (ThrottlingException)",
    "429, TooManyRequestsException, Rate exceeded, 4, too many calls",
    "500, KMSInternalException, sorry, 4, answered 500",
    "503, ServiceUnavailable, sorry, 4, answered 503",
    "500, KeyUnavailableException, sorry, 4, cannot reach the key at the moment",
    "500, DependencyTimeoutException, sorry, 4, could not reach its own key store",
  })
  void errorResponse_isExplainedAndRetriedOnlyIfThatMayHelp(
      int status, String code, String message, int times, String words) {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(answerLoadsAnd(_ -> error(status, code, message)));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      Kek kek = kek(provider.load(), 1);
      int before = server.requests().size();
      String reported = unavailable(kek);
      assertTrue(reported.contains(words), reported);
      assertEquals(times, server.requests().size() - before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"InvalidCiphertextException", "IncorrectKeyException"})
  void refusedData_isNoFailure(String code) {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(answerLoadsAnd(_ -> error(400, code, "no")));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      assertEquals(Optional.empty(), kek(provider.load(), 1).unwrap(new byte[150], AAD));
    }
  }

  @Test
  void foreignBytes_areRefusedWithoutACall() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(answerLoadsAnd(_ -> error(500, "X", "no")));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      Kek kek = kek(provider.load(), 1);
      int before = server.requests().size();
      assertTrue(kek.unwrap(new byte[0], AAD).isEmpty());
      assertTrue(kek.unwrap(new byte[AwsKmsKek.MAX_WRAPPED_BYTES + 1], AAD).isEmpty());
      assertEquals(before, server.requests().size());
    }
  }

  @Test
  void retryAfter_holdsBackLaterCalls() {
    ScriptedResponse busy =
        new ScriptedResponse(
            429,
            Map.of("Retry-After", "30"),
            "{\"__type\":\"ThrottlingException\",\"message\":\"no\"}");
    try (ScriptedHttpServer server = ScriptedHttpServer.start(answerLoadsAnd(_ -> busy));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      Kek kek = kek(provider.load(), 1);
      unavailable(kek);
      int before = server.requests().size();
      assertTrue(unavailable(kek).contains("next call allowed in"));
      assertEquals(before, server.requests().size());
    }
  }

  @Test
  void request_carriesKeyAadUidAndTraceAndErrorsQuoteNothing() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(
                answerLoadsAnd(request -> error(400, "Odd", request.body().replace("\"", "'"))));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      Kek kek = kek(provider.load(), 1);
      String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      String reported =
          RequestUid.callWith(
              "uid-42",
              () -> TraceHeaders.callWith(Map.of("traceparent", trace), () -> unavailable(kek)));
      ReceivedRequest request = server.requests().getLast();
      assertTrue(request.body().contains("\"KeyId\":\"id-1\""), request.body());
      assertTrue(request.body().contains("\"keyfleet-keyring\":\"main\""), request.body());
      assertTrue(request.header("User-Agent").contains("keyfleet-uid/uid-42"));
      assertEquals(trace, request.header("traceparent"));
      assertTrue(request.header("Authorization").contains("traceparent"), "it is signed too");
      assertFalse(reported.contains("Plaintext") || reported.contains("recognisable"), reported);
    }
  }

  @Test
  void forbiddenLoad_namesTheMissingPermission() {
    try (ScriptedHttpServer server =
            ScriptedHttpServer.start(_ -> error(400, "AccessDeniedException", "no"));
        AwsKmsProvider provider = AwsKmsFixtures.provider(server.port(), "kf")) {
      ProviderException refusal = assertThrows(ProviderException.class, provider::load);
      assertTrue(refusal.getMessage().contains("kms:ListAliases"), refusal.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "awskms",
        "awskms:",
        "awskms:here",
        "awskms:EU-CENTRAL-1",
        "awskms:eu-central-1?alias=",
        "awskms:eu-central-1?alias=aws/ebs",
        "awskms:eu-central-1?alias=a:b",
        "awskms:eu-central-1?endpoint=http://kms.example.org",
        "awskms:eu-central-1?endpoint=host",
        "awskms:eu-central-1?secret=1234"
      })
  void malformed_isRefusedWithTheTextAndARemedy(String text) {
    ProviderException refusal = assertThrows(ProviderException.class, () -> AwsKmsSpec.parse(text));
    String subject = text.contains("?") ? text.substring(0, text.indexOf('?')) : text;
    assertTrue(refusal.getMessage().startsWith("provider " + subject), refusal.getMessage());
    assertFalse(refusal.remedy().isBlank());
    assertFalse((refusal.getMessage() + refusal.remedy()).contains("1234"), "a secret was shown");
  }
}
