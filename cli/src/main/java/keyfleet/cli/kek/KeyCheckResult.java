package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.List;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// What wrapping and unwrapping with one key came to; an empty problem means that it worked.
record KeyCheckResult(String provider, KekVersion version, String problem) {
  boolean ok() {
    return problem.isEmpty();
  }

  static void print(
      KeyringName keyring, List<KeyCheckResult> trips, OutputFormat format, PrintStream out) {
    switch (format) {
      case TABLE -> printTable(trips, out);
      case JSON -> printJson(keyring, trips, out);
    }
  }

  private static void printTable(List<KeyCheckResult> trips, PrintStream out) {
    if (!trips.isEmpty()) {
      out.println("PROVIDER   VERSION  RESULT");
    }
    for (KeyCheckResult trip : trips) {
      String result = trip.ok() ? "ok" : "failed: " + trip.problem();
      out.println(column(trip.provider(), 11) + column(trip.version().toString(), 9) + result);
    }
  }

  /// `printf` would take longer than the wrapping and unwrapping.
  private static String column(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }

  private static void printJson(KeyringName keyring, List<KeyCheckResult> trips, PrintStream out) {
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject().writeStringProperty("keyring", keyring.value());
      json.writeArrayPropertyStart("keys");
      for (KeyCheckResult trip : trips) {
        json.writeStartObject()
            .writeStringProperty("provider", trip.provider())
            .writeNumberProperty("version", trip.version().number())
            .writeBooleanProperty("ok", trip.ok());
        if (!trip.ok()) {
          json.writeStringProperty("problem", trip.problem());
        }
        json.writeEndObject();
      }
      json.writeEndArray().writeEndObject().writeRaw('\n');
    }
  }
}
