package keyfleet.it.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import keyfleet.postgres.PostgresTestServer;
import keyfleet.store.engine.StoreUrl;

/// Makes and restores backups of one store with the commands of docs/how-to/backup-and-restore.md.
public sealed interface StoreBackup {
  static StoreBackup of(ProcessFleet fleet, String url) {
    StoreUrl parsed = StoreUrl.parse(url);
    return parsed.scheme().equals("sqlite")
        ? new SqliteFile(fleet, Path.of(parsed.path()))
        : new PostgresDump(fleet, parsed.path());
  }

  /// Writes a backup while the fleet runs.
  void make(Path file);

  /// Puts a backup in the place of the store, which no process uses.
  void restore(Path file);

  /// Restores a backup to a new place; returns the URL.
  String restoreElsewhere(Path file);

  /// A SQLite store.
  record SqliteFile(ProcessFleet fleet, Path database) implements StoreBackup {
    @Override
    public void make(Path file) {
      fleet.run(0, "backup", file.toString(), "--store=sqlite:" + database);
    }

    @Override
    public void restore(Path file) {
      shell(fleet, "rm -f %1$s %1$s-wal %1$s-shm && cp -p %2$s %1$s".formatted(database, file));
    }

    @Override
    public String restoreElsewhere(Path file) {
      try {
        Path folder = Files.createDirectory(fleet.folder().resolve("elsewhere"));
        shell(fleet, "cp -p %s %s/other.db".formatted(file, folder));
        return "sqlite:" + folder.resolve("other.db");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// A PostgreSQL database.
  record PostgresDump(ProcessFleet fleet, String database) implements StoreBackup {
    private static PostgresTestServer server() {
      return PostgresTestServer.shared();
    }

    @Override
    public void make(Path file) {
      shell(
          fleet,
          "%s --format=custom --file=%s --dbname='%s'"
              .formatted(server().tool("pg_dump"), file, server().url(database, "")));
    }

    @Override
    public void restore(Path file) {
      server()
          .execute(
              "postgres",
              "DROP DATABASE " + database + " WITH (FORCE)",
              "CREATE DATABASE " + database);
      fill(database, file);
    }

    @Override
    public String restoreElsewhere(Path file) {
      String other = database + "_elsewhere";
      server()
          .execute(
              "postgres",
              "DROP DATABASE IF EXISTS " + other + " WITH (FORCE)",
              "CREATE DATABASE " + other);
      fill(other, file);
      return server().url(other, "");
    }

    private void fill(String name, Path file) {
      shell(
          fleet,
          "%s --exit-on-error --single-transaction --dbname='%s' %s"
              .formatted(server().tool("pg_restore"), server().url(name, ""), file));
    }
  }

  private static void shell(ProcessFleet fleet, String command) {
    Shell.Result result = new Shell(fleet.folder(), Map.of()).run(command);
    assertEquals(0, result.exit(), () -> command + ": " + result);
  }
}
