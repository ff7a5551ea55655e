package keyfleet.awskms;

import java.net.URI;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpecReader;
import keyfleet.providers.RemoteAddress;
import org.jspecify.annotations.Nullable;

/// `awskms:REGION`, with `alias=` where the keyring's own name does not do, and `endpoint=` where
/// the region's does not.
///
/// @param alias what stands before `-v<N>` in the name of each version's alias
public record AwsKmsSpec(String region, @Nullable String alias, @Nullable URI endpoint)
    implements ProviderSpec {
  public static final String NAME = "awskms";

  private static final String FORM = "awskms:eu-central-1?alias=NAME";
  private static final Pattern REGION = Pattern.compile("[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}");

  /// What AWS takes, short enough for a version behind it; `aws/` is its own.
  private static final Pattern ALIAS = Pattern.compile("(?!aws/)[A-Za-z0-9_/-]{1,200}");

  public static AwsKmsSpec parse(String text) {
    ProviderSpecReader reader = new ProviderSpecReader(text);
    String region = reader.address(FORM);
    if (!REGION.matcher(region).matches()) {
      throw reader.invalid("that is no region", FORM);
    }
    String alias = reader.takeOption("alias");
    if (alias != null && !ALIAS.matcher(alias).matches()) {
      throw reader.invalid("alias= is no name of an alias without alias/ and -v<N>", FORM);
    }
    String endpoint = reader.takeOption("endpoint");
    URI address = endpoint == null ? null : RemoteAddress.parse(reader, endpoint, FORM);
    reader.refuseUnknownOptions();
    return new AwsKmsSpec(region, alias, address);
  }

  @Override
  public KekProvider open(KeyringName keyring, ProviderContext context) {
    return new AwsKmsProvider(
        keyring, prefix(keyring), AwsKmsClient.open(this, context.ticker(), context.random()));
  }

  private String prefix(KeyringName keyring) {
    return "alias/" + (alias == null ? "keyfleet-" + keyring : alias) + "-v";
  }
}
