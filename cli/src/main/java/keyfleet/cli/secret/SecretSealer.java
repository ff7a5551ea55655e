package keyfleet.cli.secret;

import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.Keystore;
import keyfleet.member.MembershipState;
import keyfleet.member.Sealer;
import keyfleet.member.SealerResult;
import keyfleet.member.document.CollectionRegistry;
import keyfleet.member.heartbeat.AdmissionCheck;
import keyfleet.member.heartbeat.AdmissionCheck.FenceReading;

/// Seals for one command. There is no heartbeat: each seal asks anew whether this host may, and the
/// lease counts from before the keystore was read.
final class SecretSealer {
  private final CommandSession session;
  private final Sealer sealer;
  private final AdmissionCheck admissionCheck;
  private MembershipState membershipState = new MembershipState.NotJoined("it has not asked yet");

  SecretSealer(CommandSession session, SecretCollection collection) {
    this.session = session;
    this.sealer =
        new Sealer(
            collection.collectionRegistration(),
            session.collectionRegistry(),
            session.keys().load(),
            () -> membershipState,
            session.ticker()::nanos);
    this.admissionCheck = new AdmissionCheck(session.keys().load(), collection::fenceMarks);
  }

  /// The collection is registered before the round begins: a rotation moves what it knows of.
  Envelope seal(FieldLocation fieldLocation, SecretBytes value) {
    if (sealer.register() instanceof CollectionRegistry.RegisteredDifferently(var held)) {
      throw new CommandException(
          "%s belongs to keyring %s".formatted(held.collection(), held.keyring()),
          "--keyring=" + held.keyring());
    }
    FenceReading fenceReading = admissionCheck.readFences(session.ticker().nanos());
    Keystore keystore = session.requireKeystore();
    membershipState = admissionCheck.decide(fenceReading, keystore);
    return switch (sealer.seal(fieldLocation, value)) {
      case SealerResult.Sealed(Envelope envelope) -> envelope;
      case SealerResult.LeaseExpired() ->
          throw CommandException.conditionNotMet(
              "the store took too long to answer", "the command again");
      case SealerResult.JustRegistered() ->
          throw CommandException.conditionNotMet(
              "the collection was registered just now", "the command again");
      case SealerResult.NotRegistered(String reason) ->
          throw new CommandException(reason, "keyfleet kek inventory");
      case SealerResult.KeyNotLoaded(KekVersion version) -> throw notHeld(version);
      case SealerResult.NotAdmitted(MembershipState current) -> throw refusal(current);
    };
  }

  private static CommandException notHeld(KekVersion version) {
    return new CommandException(
        "this host does not hold " + version, "keyfleet kek verify --local, with its --provider");
  }

  private static CommandException refusal(MembershipState membershipState) {
    return switch (membershipState) {
      case MembershipState.ReadOnly(_, var unproved) ->
          new CommandException(
              "this host may not seal: it has not the bytes of "
                  + unproved
                  + ", which the fleet uses",
              "keyfleet kek verify --local, with the --provider that has them");
      case MembershipState other ->
          CommandException.conditionNotMet(
              "this host may not seal: " + other.description(), "keyfleet kek status");
    };
  }
}
