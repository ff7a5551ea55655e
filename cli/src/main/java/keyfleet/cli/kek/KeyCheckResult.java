package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.List;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import tools.jackson.core.JsonGenerator;

/// The result of wrapping and unwrapping with one key. An empty problem means that the key works.
record KeyCheckResult(String provider, KekVersion version, String problem) {
  boolean isOk() {
    return problem.isEmpty();
  }

  static void print(
      KeyringName keyring, List<KeyCheckResult> results, OutputFormat format, PrintStream out) {
    format.print(
        out,
        _ -> printTable(results, out),
        json -> write(json.writeStringProperty("keyring", keyring.value()), results));
  }

  private static void printTable(List<KeyCheckResult> results, PrintStream out) {
    if (!results.isEmpty()) {
      out.println("PROVIDER   VERSION  RESULT");
    }
    for (KeyCheckResult check : results) {
      String result = check.isOk() ? "ok" : "failed: " + check.problem();
      out.println(column(check.provider(), 11) + column(check.version().toString(), 9) + result);
    }
  }

  /// Pads without `printf`, which would take longer than the key check.
  private static String column(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length()));
  }

  private static void write(JsonGenerator json, List<KeyCheckResult> results) {
    json.writeArrayPropertyStart("keys");
    for (KeyCheckResult check : results) {
      json.writeStartObject()
          .writeStringProperty("provider", check.provider())
          .writeNumberProperty("version", check.version().number())
          .writeBooleanProperty("ok", check.isOk());
      if (!check.isOk()) {
        json.writeStringProperty("problem", check.problem());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
