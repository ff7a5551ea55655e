package keyfleet.cli.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.store.StoreException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import picocli.CommandLine.ParseResult;

/// `backup FILE`: copies a SQLite store to a new file while its fleet runs. Of another store it
/// says which tool makes its backups.
public record BackupCommand(CommandContext context) implements Command {
  private static final String FILE = "FILE";

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Copies a SQLite store to a new file while its fleet runs.",
            "The copy is the store at one moment, complete in one file with mode 0600. An existing"
                + " file is never replaced.",
            "Exit: 0 written and synced; 1 an error, and no file.")
        .parameter(FILE, "The file to write.")
        .add(ConfigKeys.STORE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    Path file = parseFile(parsed.matchedPositionalValue(0, ""));
    requireSqlite(StoreOptions.storeUrl(parsed, context.runtime().get()), file);
    try (Engine engine = StoreOptions.openStore(parsed, context.forReading())) {
      engine.backUp(file);
    }
    report(file, format);
    return ExitCode.OK;
  }

  private static Path parseFile(String text) {
    try {
      if (!text.isEmpty()) {
        return Path.of(text);
      }
    } catch (InvalidPathException e) {
      throw new CommandException(
          Console.sanitize(text) + " is not a file name", "keyfleet backup keyfleet-backup.db");
    }
    throw new CommandException(
        "the name of the file to write is empty", "keyfleet backup keyfleet-backup.db");
  }

  private static void requireSqlite(StoreUrl url, Path file) {
    String location = "%s%s".formatted(url.user().map(it -> it + "@").orElse(""), hosts(url));
    switch (url.scheme()) {
      case "sqlite" -> {}
      case "postgresql" ->
          throw otherTool(
              "PostgreSQL",
              "pg_dump --format=custom --file=%s --dbname=postgresql://%s/%s"
                  .formatted(file, location, url.path()));
      case "mongodb" ->
          throw otherTool(
              "MongoDB",
              "mongodump --archive=%s --uri=mongodb://%s/%s".formatted(file, location, url.path()));
      case "nats" ->
          throw otherTool(
              "NATS", "nats --server=nats://%s account backup %s".formatted(location, file));
      default -> throw new IllegalStateException("no backup of " + url);
    }
  }

  private static String hosts(StoreUrl url) {
    return String.join(",", url.hosts());
  }

  private static CommandException otherTool(String store, String tool) {
    return new CommandException(
        "keyfleet backup copies SQLite stores; %s has a tool of its own".formatted(store), tool);
  }

  private void report(Path file, OutputFormat format) {
    long bytes = size(file);
    format.print(
        context.console().out(),
        _ -> context.console().printMessage("wrote %s, %d bytes".formatted(file, bytes)),
        json ->
            json.writeStringProperty("file", file.toString()).writeNumberProperty("bytes", bytes));
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new StoreException(file + " was written, but cannot be read", e);
    }
  }
}
