package keyfleet.awskms;

import java.net.URI;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.providers.KekProvider;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpecReader;
import keyfleet.providers.RemoteAddress;
import org.jspecify.annotations.Nullable;

/// `awskms:REGION`, optionally with `alias=` instead of the name of the keyring, and `endpoint=`
/// instead of the endpoint of the region.
///
/// @param alias the part before `-v<N>` in the name of the alias of each version
public record AwsKmsSpec(String region, @Nullable String alias, @Nullable URI endpoint)
    implements ProviderSpec {
  public static final String NAME = "awskms";

  private static final String FORM = "awskms:eu-central-1?alias=NAME";
  private static final Pattern REGION = Pattern.compile("[a-z]{2,4}(-[a-z]{2,12}){1,3}-[0-9]{1,2}");

  /// The names that AWS accepts, short enough for a version after them; AWS reserves `aws/`.
  private static final Pattern ALIAS = Pattern.compile("(?!aws/)[A-Za-z0-9_/-]{1,200}");

  public static AwsKmsSpec parse(String text) {
    ProviderSpecReader reader = new ProviderSpecReader(text);
    String region = reader.address(FORM);
    if (!REGION.matcher(region).matches()) {
      throw reader.invalid("not a valid AWS region", FORM);
    }
    String alias = reader.takeOption("alias");
    if (alias != null && !ALIAS.matcher(alias).matches()) {
      throw reader.invalid("alias= is not a valid alias name; leave out alias/ and -v<N>", FORM);
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
