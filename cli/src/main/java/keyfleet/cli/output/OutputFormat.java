package keyfleet.cli.output;

import java.io.PrintStream;
import java.util.List;
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

  /// Whether these arguments ask for JSON, also if they do not parse.
  public static boolean isJson(String... args) {
    for (int i = 0; i < args.length; i++) {
      boolean isNext =
          i + 1 < args.length
              && (args[i].equals("-o") || args[i].equals("--output"))
              && args[i + 1].equals("json");
      if (isNext || List.of("-ojson", "-o=json", "--output=json").contains(args[i])) {
        return true;
      }
    }
    return false;
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
