package keyfleet.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Certificates for one test run, made by `openssl`: `ca`, which signs `server` (for `localhost`
/// only) and the client `holder`, and an untrusted `other`.
final class PostgresTestCertificates {
  private PostgresTestCertificates() {}

  static void create(Path folder) throws IOException {
    createSelfSigned(
        folder, "ca", "/CN=test CA", List.of("-addext", "basicConstraints=critical,CA:TRUE"));
    createSelfSigned(folder, "other", "/CN=other CA", List.of());
    Files.writeString(folder.resolve("server.ext"), "subjectAltName=DNS:localhost\n");
    Files.writeString(folder.resolve("holder.ext"), "extendedKeyUsage=clientAuth\n");
    sign(folder, "server", "/CN=localhost");
    sign(folder, "holder", "/CN=holder");
    PostgresTestServer.runCommand(
        List.of("chmod", "0600", folder.resolve("holder.key").toString()));
  }

  /// Copies the server's certificate and key, and the CA of its clients, into the data folder.
  static void install(Path folder, Path data) throws IOException {
    Files.copy(folder.resolve("server.crt"), data.resolve("server.crt"));
    Files.copy(folder.resolve("server.key"), data.resolve("server.key"));
    Files.copy(folder.resolve("ca.crt"), data.resolve("root.crt"));
    Files.write(data.resolve("postgresql.auto.conf"), List.of("ssl_ca_file = 'root.crt'"));
    String owner = Files.getOwner(data).getName();
    for (String file : List.of("server.crt", "server.key", "root.crt")) {
      PostgresTestServer.runCommand(List.of("chmod", "0600", data.resolve(file).toString()));
      PostgresTestServer.runCommand(List.of("chown", owner, data.resolve(file).toString()));
    }
  }

  private static void createSelfSigned(
      Path folder, String name, String subject, List<String> extraArguments) {
    List<String> command =
        new ArrayList<>(
            List.of("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"));
    command.addAll(List.of("-subj", subject));
    command.addAll(List.of("-keyout", folder.resolve(name + ".key").toString()));
    command.addAll(List.of("-out", folder.resolve(name + ".crt").toString()));
    command.addAll(extraArguments);
    PostgresTestServer.runCommand(command);
  }

  private static void sign(Path folder, String name, String subject) {
    String at = folder + "/";
    PostgresTestServer.runCommand(
        List.of(
            "openssl",
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            subject,
            "-keyout",
            at + name + ".key",
            "-out",
            at + name + ".csr"));
    PostgresTestServer.runCommand(
        List.of(
            "openssl",
            "x509",
            "-req",
            "-in",
            at + name + ".csr",
            "-days",
            "2",
            "-CA",
            at + "ca.crt",
            "-CAkey",
            at + "ca.key",
            "-CAcreateserial",
            "-extfile",
            at + name + ".ext",
            "-out",
            at + name + ".crt"));
  }
}
