package keyfleet.cli.output;

import java.io.PrintStream;
import java.util.function.Consumer;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import tools.jackson.core.JsonGenerator;

/// How data is printed: a table for people, or JSON for programs.
public enum OutputFormat {
  TABLE,
  JSON;

  public static OptionSpec option() {
    return OptionSpec.builder("-o", "--output")
        .paramLabel("FORMAT")
        .type(String.class)
        .description("table (default) or json.")
        .build();
  }

  /// Prints a result for people or for programs.
  public void print(
      PrintStream out, Consumer<PrintStream> table, Consumer<JsonGenerator> jsonFields) {
    switch (this) {
      case TABLE -> table.accept(out);
      case JSON -> JsonOutput.print(out, jsonFields);
    }
  }

  public static OutputFormat of(ParseResult parsed) {
    String name = parsed.matchedOptionValue("-o", "table");
    return switch (name) {
      case "table" -> TABLE;
      case "json" -> JSON;
      default ->
          throw new CommandException(
              "-o " + name + " is not a format; use table or json", "-o json");
    };
  }
}
