package keyfleet.member;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Timings;
import keyfleet.keyring.VersionEntry;
import keyfleet.member.MembershipState.Admitted;
import keyfleet.member.MembershipState.DifferentTimings;
import keyfleet.member.MembershipState.InSafeHold;
import keyfleet.member.MembershipState.NameTaken;
import keyfleet.member.MembershipState.NoKeystore;
import keyfleet.member.MembershipState.NotJoined;
import keyfleet.member.MembershipState.ReadOnly;

/// Says why a process cannot seal, and what to do about it.
public final class Remedy {
  private static final String ANNOUNCE = "keyfleet kek announce --version=1";

  /// The default keyring of a KMS plugin.
  private static final KeyringName DEFAULT_PLUGIN_KEYRING = new KeyringName("kms");

  private Remedy() {}

  /// What to do about a process in this state.
  public static String of(KeyringName keyring, MembershipState membershipState) {
    return switch (membershipState) {
      case Admitted _ -> "nothing to do";
      case ReadOnly(Keystore keystore, NavigableSet<KekVersion> unproved) ->
          forMissingKeys(keyring, keystore, unproved);
      case InSafeHold _ -> "keyfleet kek hold show" + keyringFlag(keyring);
      case NoKeystore _ -> announce(keyring);
      case NameTaken _ -> "stop the other process, or set another KEYFLEET_INSTANCE";
      case DifferentTimings other -> of(other);
      case NotJoined _ -> "wait for its next heartbeat; if the problem stays: keyfleet doctor";
    };
  }

  /// The keyring of a plugin needs `--use=kms`: its use cannot change later.
  private static String announce(KeyringName keyring) {
    if (keyring.equals(KeyringName.MAIN)) {
      return ANNOUNCE;
    }
    return keyring.equals(DEFAULT_PLUGIN_KEYRING)
        ? ANNOUNCE + " --use=kms"
        : ANNOUNCE + " --keyring=" + keyring;
  }

  private static String keyringFlag(KeyringName keyring) {
    return keyring.equals(KeyringName.MAIN) ? "" : " --keyring=" + keyring;
  }

  static String of(DifferentTimings state) {
    return "unset KEYFLEET_TIMING_… so that the process takes the fleet's; or set "
        + String.join(" ", differences(state.fleet(), state.own()));
  }

  private static String forMissingKeys(
      KeyringName keyring, Keystore keystore, NavigableSet<KekVersion> unproved) {
    List<String> each = new ArrayList<>();
    for (KekVersion version : unproved) {
      VersionEntry entry = keystore.versions().get(version);
      each.add(
          entry == null
              ? MissingKeyRemedy.forUnknownProvider(keyring, version)
              : MissingKeyRemedy.forThisProcess(entry.provider(), keyring, version));
    }
    return String.join("; ", each);
  }

  /// What is wrong, without the remedy.
  public static String describe(MembershipState membershipState) {
    return switch (membershipState) {
      case DifferentTimings(Timings own, Timings fleet) ->
          "this process was set to %s, the fleet to %s"
              .formatted(
                  String.join(" ", differences(own, fleet)),
                  String.join(" ", differences(fleet, own)));
      case ReadOnly(_, NavigableSet<KekVersion> unproved) ->
          "this process cannot prove %s, which the fleet uses".formatted(unproved);
      case NoKeystore _ -> "the keyring has no key yet";
      default -> membershipState.description();
    };
  }

  private static List<String> differences(Timings of, Timings from) {
    Map<String, Duration> others = ProcessSettings.byVariable(from);
    return ProcessSettings.byVariable(of).entrySet().stream()
        .filter(it -> !it.getValue().equals(others.get(it.getKey())))
        .map(it -> ProcessSettings.TIMING + it.getKey() + "=" + DurationText.format(it.getValue()))
        .toList();
  }
}
