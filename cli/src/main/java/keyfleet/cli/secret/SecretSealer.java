package keyfleet.cli.secret;

import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.KeyOptions;
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

/// Seals values for one command. A command sends no heartbeats, so each call checks whether this
/// host may seal. Its lease starts before the keystore is read.
final class SecretSealer {
  private final CommandSession session;
  private final Sealer sealer;
  private final AdmissionCheck admissionCheck;
  private MembershipState state = new MembershipState.NotJoined("it has not checked yet");

  SecretSealer(CommandSession session, SecretCollection collection) {
    this.session = session;
    this.sealer =
        new Sealer(
            collection.registration(),
            session.collectionRegistry(),
            session.keys().load(),
            () -> state,
            session.ticker()::nanos);
    this.admissionCheck = new AdmissionCheck(session.keys().load(), collection::fenceMarks);
  }

  /// Registers the collection before the keystore is read: a rotation moves only registered
  /// collections.
  Envelope seal(FieldLocation fieldLocation, SecretBytes value) {
    if (sealer.register() instanceof CollectionRegistry.RegisteredDifferently(var held)) {
      throw new CommandException(
          "collection %s belongs to keyring %s".formatted(held.collection(), held.keyring()),
          "--keyring=" + held.keyring());
    }
    FenceReading fenceReading = admissionCheck.readFences(session.ticker().nanos());
    Keystore keystore = session.requireKeystore();
    state = admissionCheck.decide(fenceReading, keystore);
    return switch (sealer.seal(fieldLocation, value)) {
      case SealerResult.Sealed(Envelope envelope) -> envelope;
      case SealerResult.LeaseExpired() ->
          throw CommandException.conditionNotMet(
              "the store took so long to answer that the write lease has expired",
              "keyfleet doctor");
      case SealerResult.JustRegistered() ->
          throw CommandException.conditionNotMet(
              "collection " + fieldLocation.collection() + " was registered a moment ago",
              "run the same command again, with the same input");
      case SealerResult.NotRegistered(String reason) ->
          throw new CommandException(reason, "keyfleet kek inventory");
      case SealerResult.KeyNotLoaded(KekVersion version) -> throw notHeld(keystore, version);
      case SealerResult.NotAdmitted(MembershipState current) -> throw refusal(keystore, current);
    };
  }

  private CommandException notHeld(Keystore keystore, KekVersion version) {
    return session.keys().missing("this host does not hold " + version, keystore, version);
  }

  private CommandException refusal(Keystore keystore, MembershipState state) {
    return switch (state) {
      case MembershipState.InSafeHold held ->
          CommandException.conditionNotMet(
              "this host may not seal: " + held.description(),
              CommandSession.holdRemedy(session.keyring()));
      case MembershipState.ReadOnly(_, var unproved) ->
          session
              .keys()
              .missing(
                  "this host may not seal: it lacks the keys "
                      + unproved
                      + ", which the fleet uses",
                  keystore,
                  unproved.first());
      case MembershipState other ->
          CommandException.conditionNotMet(
              "this host may not seal: " + other.description(),
              "keyfleet kek status" + KeyOptions.keyringFlag(session.keyring()));
    };
  }
}
