package keyfleet.awskms;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import keyfleet.crypto.Dek;
import keyfleet.crypto.Kek;
import keyfleet.crypto.KekSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.SystemTicker;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kms.KmsClient;

/// Test data of this module: providers, clients and keys.
final class AwsKmsFixtures {
  static final byte[] AAD = "where it belongs".getBytes(StandardCharsets.UTF_8);
  static final byte[] OTHER_AAD = "elsewhere".getBytes(StandardCharsets.UTF_8);

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("AKIATEST", "recognisable"));

  private AwsKmsFixtures() {}

  static AwsKmsProvider provider(int port, String alias) {
    AwsKmsSpec spec = AwsKmsSpec.parse("awskms:eu-central-1?endpoint=http://127.0.0.1:" + port);
    return new AwsKmsProvider(
        KeyringName.MAIN,
        "alias/" + alias + "-v",
        AwsKmsClient.open(spec, CREDENTIALS, new SystemTicker(), RANDOM));
  }

  /// A client with the rights of an administrator.
  static KmsClient admin(int port) {
    return KmsClient.builder()
        .region(Region.EU_CENTRAL_1)
        .endpointOverride(URI.create("http://127.0.0.1:" + port))
        .credentialsProvider(CREDENTIALS)
        .httpClient(UrlConnectionHttpClient.create())
        .build();
  }

  static Kek kek(KekSet kekSet, int version) {
    return kekSet.find(new KekVersion(version)).orElseThrow();
  }

  static Dek dek() {
    return new Dek(SecretBytes.random(Dek.BYTES, RANDOM));
  }
}
