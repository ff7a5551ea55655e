package keyfleet.cli.doctor;

import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import keyfleet.cli.output.OutputFormat;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// The checks of `doctor` and their result.
record DoctorReport(String store, List<StoreCheck> checks) {
  Level worstLevel() {
    return checks.stream().map(StoreCheck::level).max(Comparator.naturalOrder()).orElse(Level.FAIL);
  }

  void print(OutputFormat format, PrintStream out) {
    switch (format) {
      case TABLE -> printTable(out);
      case JSON -> printJson(out);
    }
  }

  private void printTable(PrintStream out) {
    out.println(store);
    for (StoreCheck check : checks) {
      out.printf("%-6s %s%n", "[" + label(check.level()) + "]", check.sentence());
      if (!check.remedy().isEmpty()) {
        out.println("       Try: " + check.remedy());
      }
    }
  }

  private void printJson(PrintStream out) {
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject()
          .writeStringProperty("store", store)
          .writeStringProperty("verdict", label(worstLevel()));
      json.writeArrayPropertyStart("checks");
      for (StoreCheck check : checks) {
        json.writeStartObject()
            .writeStringProperty("level", label(check.level()))
            .writeStringProperty("sentence", check.sentence())
            .writeStringProperty("remedy", check.remedy())
            .writeEndObject();
      }
      json.writeEndArray().writeEndObject().writeRaw('\n');
    }
  }

  private static String label(Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }
}
