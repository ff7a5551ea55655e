package keyfleet.awskms;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import keyfleet.providers.ProviderException;
import keyfleet.providers.RemoteCallPolicy;
import keyfleet.providers.RemoteCallPolicy.TimeBudget;
import keyfleet.providers.RemoteResult;
import keyfleet.providers.RemoteResult.Success;
import keyfleet.providers.RequestUid;
import keyfleet.providers.Ticker;
import keyfleet.providers.TraceHeaders;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kms.KmsClient;
import software.amazon.awssdk.services.kms.KmsClientBuilder;
import software.amazon.awssdk.services.kms.model.AliasListEntry;
import software.amazon.awssdk.services.kms.model.ListAliasesRequest;
import software.amazon.awssdk.services.kms.model.ListAliasesResponse;

/// Calls AWS KMS in one region, with the credentials of this process.
final class AwsKmsClient implements AutoCloseable {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  /// AWS returns at most a hundred aliases per page; an account has far fewer than this many pages.
  private static final int MAX_PAGES = 200;

  private static final int PAGE_SIZE = 100;

  private final KmsClient client;
  private final RemoteCallPolicy callPolicy;
  private final AwsKmsErrorMapper errorMapper;

  AwsKmsClient(KmsClient client, RemoteCallPolicy callPolicy, AwsKmsErrorMapper errorMapper) {
    this.client = client;
    this.callPolicy = callPolicy;
    this.errorMapper = errorMapper;
  }

  /// Uses the credentials that the SDK finds by itself: variables, profiles, roles.
  static AwsKmsClient open(AwsKmsSpec spec, Ticker ticker, RandomGenerator random) {
    return open(spec, DefaultCredentialsProvider.builder().build(), ticker, random);
  }

  static AwsKmsClient open(
      AwsKmsSpec spec, AwsCredentialsProvider credentials, Ticker ticker, RandomGenerator random) {
    String name = "awskms " + spec.region();
    KmsClientBuilder builder =
        KmsClient.builder()
            .region(Region.of(spec.region()))
            .credentialsProvider(credentials)
            .httpClient(
                UrlConnectionHttpClient.builder().connectionTimeout(CONNECT_TIMEOUT).build())
            .overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()));
    if (spec.endpoint() != null) {
      builder.endpointOverride(spec.endpoint());
    }
    return new AwsKmsClient(
        builder.build(), new RemoteCallPolicy(name, ticker, random), new AwsKmsErrorMapper(name));
  }

  /// The ids of the keys whose aliases have this prefix, by the rest of the alias.
  Map<String, String> listKeysByAlias(String prefix) {
    Map<String, String> keys = new HashMap<>();
    String marker = null;
    for (int page = 0; page < MAX_PAGES; page++) {
      ListAliasesRequest.Builder request =
          ListAliasesRequest.builder().limit(PAGE_SIZE).marker(marker);
      ListAliasesResponse response =
          call(
              TimeBudget.LOAD,
              "list-aliases",
              configuration ->
                  client.listAliases(request.overrideConfiguration(configuration).build()));
      for (AliasListEntry alias : response.aliases()) {
        if (alias.aliasName().startsWith(prefix) && alias.targetKeyId() != null) {
          keys.put(alias.aliasName().substring(prefix.length()), alias.targetKeyId());
        }
      }
      if (!Boolean.TRUE.equals(response.truncated())) {
        return keys;
      }
      marker = response.nextMarker();
    }
    throw new ProviderException(
        "there are more than " + MAX_PAGES * PAGE_SIZE + " aliases in the account",
        "an account of its own for the fleet's keys");
  }

  /// Runs a wrap or an unwrap with the key `id`. The configuration passed to `request` carries the
  /// time limit and the UID and trace of the work.
  <T> T callWithKey(String id, Function<AwsRequestOverrideConfiguration, T> request) {
    return call(TimeBudget.KEY_OPERATION, id, request);
  }

  KmsClient client() {
    return client;
  }

  private <T> T call(
      TimeBudget budget, String subject, Function<AwsRequestOverrideConfiguration, T> request) {
    return callPolicy.run(budget, limit -> attempt(subject, limit, request));
  }

  private <T> RemoteResult<T> attempt(
      String subject, Duration limit, Function<AwsRequestOverrideConfiguration, T> request) {
    AwsRequestOverrideConfiguration.Builder configuration =
        AwsRequestOverrideConfiguration.builder().apiCallTimeout(limit);
    RequestUid.current()
        .ifPresent(uid -> configuration.addApiName(name -> name.name("keyfleet-uid").version(uid)));
    TraceHeaders.current().forEach(configuration::putHeader);
    try {
      return new Success<>(request.apply(configuration.build()));
    } catch (SdkException e) {
      return errorMapper.map(subject, e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
