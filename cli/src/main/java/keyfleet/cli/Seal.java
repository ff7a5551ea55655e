package keyfleet.cli;

import keyfleet.crypto.Envelope;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.Keystore;
import keyfleet.member.Doorkeeper;
import keyfleet.member.Doorkeeper.Visit;
import keyfleet.member.Registry;
import keyfleet.member.SealAnswer;
import keyfleet.member.Sealer;
import keyfleet.member.Standing;

/// Seals for one command. There is no heartbeat: each seal asks anew whether this host may, and the
/// lease counts from before the keystore was read.
final class Seal {
  private final Desk desk;
  private final Sealer sealer;
  private final Doorkeeper door;
  private Standing standing = new Standing.Outside("it has not asked yet");

  Seal(Desk desk, SecretShelf shelf) {
    this.desk = desk;
    this.sealer =
        new Sealer(
            shelf.collectionRegistration(),
            desk.registry(),
            desk.keys().loaded(),
            () -> standing,
            desk.ticker()::nanos);
    this.door = new Doorkeeper(desk.keys().loaded(), shelf::fences);
  }

  /// The collection is registered before the round begins: a rotation moves what it knows of.
  Envelope seal(FieldLocation fieldLocation, SecretBytes value) {
    if (sealer.register() instanceof Registry.Taken(var held)) {
      throw new CommandException(
          "%s belongs to keyring %s".formatted(held.collection(), held.keyring()),
          "--keyring=" + held.keyring());
    }
    Visit visit = door.visit(desk.ticker().nanos());
    Keystore keystore = desk.keystore();
    standing = door.judge(visit, keystore);
    return switch (sealer.seal(fieldLocation, value)) {
      case SealAnswer.Sealed(Envelope envelope) -> envelope;
      case SealAnswer.LeaseRunOut() ->
          throw CommandException.unmet("the store took too long to answer", "the command again");
      case SealAnswer.JustRegistered() ->
          throw CommandException.unmet(
              "the collection was registered just now", "the command again");
      case SealAnswer.NotRegistered(String reason) ->
          throw new CommandException(reason, "keyfleet kek inventory");
      case SealAnswer.NotHeld(KekVersion version) -> throw missing(version);
      case SealAnswer.NotAdmitted(Standing now) -> throw refused(now);
    };
  }

  private static CommandException missing(KekVersion version) {
    return new CommandException(
        "this host does not hold " + version, "keyfleet kek verify --local, with its --provider");
  }

  private static CommandException refused(Standing standing) {
    return switch (standing) {
      case Standing.ReadOnly(_, var unproved) ->
          new CommandException(
              "this host may not seal: it has not the bytes of "
                  + unproved
                  + ", which the fleet uses",
              "keyfleet kek verify --local, with the --provider that has them");
      case Standing other ->
          CommandException.unmet("this host may not seal: " + other.words(), "keyfleet kek status");
    };
  }
}
