package keyfleet.cli;

import java.io.PrintStream;
import java.util.List;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// What wrapping and unwrapping with one key came to; an empty problem means that it worked.
record RoundTrip(String provider, KekVersion version, String problem) {
  boolean ok() {
    return problem.isEmpty();
  }

  static void print(
      KeyringName keyring, List<RoundTrip> trips, OutputFormat format, PrintStream out) {
    switch (format) {
      case TABLE -> printTable(trips, out);
      case JSON -> printJson(keyring, trips, out);
    }
  }

  private static void printTable(List<RoundTrip> trips, PrintStream out) {
    if (!trips.isEmpty()) {
      out.println("PROVIDER   VERSION  RESULT");
    }
    for (RoundTrip trip : trips) {
      String result = trip.ok() ? "ok" : "failed: " + trip.problem();
      out.printf("%-10s %-8s %s%n", trip.provider(), trip.version(), result);
    }
  }

  private static void printJson(KeyringName keyring, List<RoundTrip> trips, PrintStream out) {
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject().writeStringProperty("keyring", keyring.value());
      json.writeArrayPropertyStart("keys");
      for (RoundTrip trip : trips) {
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
