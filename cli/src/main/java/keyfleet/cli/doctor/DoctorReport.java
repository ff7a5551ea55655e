package keyfleet.cli.doctor;

import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.OutputFormat;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreCheck.Level;
import tools.jackson.core.JsonGenerator;

/// The checks of `doctor` and their result.
record DoctorReport(String store, List<StoreCheck> checks) {
  Level worstLevel() {
    return checks.stream().map(StoreCheck::level).max(Comparator.naturalOrder()).orElse(Level.FAIL);
  }

  void print(OutputFormat format, PrintStream out) {
    format.print(out, this::printTable, this::write);
  }

  private void printTable(PrintStream out) {
    out.println(store);
    for (StoreCheck check : checks) {
      out.printf("%-6s %s%n", "[" + EnumText.toKebabCase(check.level()) + "]", check.sentence());
      if (!check.remedy().isEmpty()) {
        out.println("       Try: " + check.remedy());
      }
    }
  }

  private void write(JsonGenerator json) {
    json.writeStringProperty("store", store)
        .writeStringProperty("verdict", EnumText.toKebabCase(worstLevel()))
        .writeArrayPropertyStart("checks");
    for (StoreCheck check : checks) {
      json.writeStartObject()
          .writeStringProperty("level", EnumText.toKebabCase(check.level()))
          .writeStringProperty("sentence", check.sentence())
          .writeStringProperty("remedy", check.remedy())
          .writeEndObject();
    }
    json.writeEndArray();
  }
}
