package keyfleet.cli.kek;

import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.Console;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.SafeHold;
import tools.jackson.core.JsonGenerator;

/// What a command about a keyring says of its safe hold.
record HoldNotice(SafeHold hold) {
  String line() {
    return "SAFE HOLD: " + Console.sanitize(hold.reason());
  }

  /// Prints the hold and what to do about it, below the data of a command that only looks.
  void print(Console console, KeyringName keyring) {
    console.printMessage(line());
    console.printRemedy(CommandSession.holdRemedy(keyring));
  }

  void write(JsonGenerator json) {
    json.writeStringProperty("safe_hold", hold.reason());
  }
}
