package keyfleet.member;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/// What a person can do about a process that does not seal.
public final class Remedy {
  private static final String ANNOUNCE = "keyfleet kek announce --version=1";

  /// As it is called unless somebody says otherwise.
  private static final KeyringName PLUGINS = new KeyringName("kms");

  private Remedy() {}

  /// How a process comes to hold `version`, by the kind of provider that has it.
  public static String forMissingKey(String provider, KeyringName keyring, KekVersion version) {
    return switch (provider) {
      case "env" ->
          "set %s to the fleet's bytes and restart the process"
              .formatted(variable(keyring, version));
      case "file", "simulated" ->
          "place the fleet's %s.%s.key in the key folder".formatted(keyring, version);
      case "pkcs11" ->
          "give the process the token that has the key keyfleet-%s-%s".formatted(keyring, version);
      case "vault" ->
          "give the process a token whose policy allows version %d of the keyring's Transit key, and keep the key's min_decryption_version at or below it"
              .formatted(version.number());
      case "awskms" ->
          "give the process a role that may use the KMS key that alias/keyfleet-%s-%s names, in its region"
              .formatted(keyring, version);
      default -> "give the process access to %s %s in %s".formatted(keyring, version, provider);
    };
  }

  /// For a version whose provider is not known.
  static String forMissingKey(KeyringName keyring, KekVersion version) {
    return "provision %s %s where this process loads its keys".formatted(keyring, version);
  }

  private static String variable(KeyringName keyring, KekVersion version) {
    String ring = keyring.equals(KeyringName.MAIN) ? "" : keyring.toVariableForm() + "_";
    return "KEYFLEET_KEK_%sV%d".formatted(ring, version.number());
  }

  public static String of(KeyringName keyring, MembershipState membershipState) {
    return switch (membershipState) {
      case Admitted _ -> "none is needed";
      case ReadOnly(Keystore keystore, NavigableSet<KekVersion> unproved) ->
          forMissingKey(keyring, keystore, unproved);
      case InSafeHold _ ->
          "compare the keystore with the fences: it was restored from a backup, or lost a write";
      case NoKeystore _ -> announce(keyring);
      case NameTaken _ -> "stop the other process, or set another KEYFLEET_INSTANCE";
      case DifferentTimings other -> of(other);
      case NotJoined _ -> "wait for its next heartbeat; if it stays so: keyfleet doctor";
    };
  }

  /// A plugin's keyring has a use of its own, which nothing can change later.
  private static String announce(KeyringName keyring) {
    if (keyring.equals(KeyringName.MAIN)) {
      return ANNOUNCE;
    }
    return keyring.equals(PLUGINS) ? ANNOUNCE + " --use=kms" : ANNOUNCE + " --keyring=" + keyring;
  }

  static String of(DifferentTimings standing) {
    return "unset KEYFLEET_TIMING_…, and the process takes the fleet's; or set "
        + String.join(" ", differences(standing.fleet(), standing.own()));
  }

  private static String forMissingKey(
      KeyringName keyring, Keystore keystore, NavigableSet<KekVersion> unproved) {
    List<String> each = new ArrayList<>();
    for (KekVersion version : unproved) {
      VersionEntry known = keystore.versions().get(version);
      each.add(
          known == null
              ? forMissingKey(keyring, version)
              : forMissingKey(known.provider(), keyring, version));
    }
    return String.join("; ", each);
  }

  /// What is the matter, without what to do.
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
    List<String> all = new ArrayList<>();
    add(all, "HEARTBEAT", of.heartbeat(), from.heartbeat());
    add(all, "FRESH", of.fresh(), from.fresh());
    add(all, "LEASE", of.lease(), from.lease());
    add(all, "EXPIRE", of.expire(), from.expire());
    add(all, "ADOPT", of.adopt(), from.adopt());
    return all;
  }

  private static void add(List<String> all, String name, Duration of, Duration from) {
    if (!of.equals(from)) {
      all.add("KEYFLEET_TIMING_" + name + "=" + DurationText.format(of));
    }
  }
}
