package keyfleet.cli.kek;

import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.providers.file.FileProvider;
import keyfleet.providers.pkcs11.Pkcs11Provider;

/// Refuses to rotate to a version that was active before, and says how to go back: with a new
/// version in its place.
final class FormerVersion {
  private FormerVersion() {}

  /// Throws if no rotation leads to `target` any more.
  static void refuse(CommandSession session, Keystore keystore, KekVersion target) {
    VersionEntry entry = keystore.versions().get(target);
    if (entry == null || !isFormer(entry.state())) {
      return;
    }
    KekVersion newest = keystore.versions().lastKey();
    VersionEntry newestEntry = keystore.versions().get(newest);
    String flag = KeyOptions.keyringFlag(session.keyring());
    String state =
        "%s is %s and can never become active%s"
            .formatted(
                target,
                EnumText.toKebabCase(entry.state()),
                entry.state() == VersionState.WITHDRAWN ? "" : " again");
    if (newestEntry != null && newestEntry.state() == VersionState.ANNOUNCED) {
      throw CommandException.conditionNotMet(
          "%s; rotate to %s instead, which is announced with provider %s"
              .formatted(state, newest, newestEntry.provider()),
          "keyfleet kek rotate --from-version=%d --to-version=%d%s"
              .formatted(keystore.active().number(), newest.number(), flag));
    }
    KekVersion next = new KekVersion(newest.number() + 1);
    String wayBack =
        entry.state() == VersionState.WITHDRAWN
            ? "announce %s instead".formatted(next)
            : "to go back, announce %s with new bytes, in the provider of %s (%s) or in another"
                .formatted(next, target, entry.provider());
    throw CommandException.conditionNotMet(
        state + "; " + wayBack,
        "keyfleet kek %s --version=%d%s"
            .formatted(nextStep(session, entry.provider(), next), next.number(), flag));
  }

  private static boolean isFormer(VersionState state) {
    return switch (state) {
      case DECRYPT_ONLY, DISABLED, DESTROYING, DESTROYED, WITHDRAWN -> true;
      case ANNOUNCED, STAGED, ACTIVE -> false;
    };
  }

  /// The command that makes the key of the next version, unless this host has it already.
  private static String nextStep(CommandSession session, String provider, KekVersion next) {
    if (session.keys().load().providerByVersion().containsKey(next)) {
      return "announce";
    }
    return switch (provider) {
      case FileProvider.NAME -> "generate";
      case Pkcs11Provider.NAME -> "pkcs11-init";
      default -> "announce";
    };
  }
}
