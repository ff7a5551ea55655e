package keyfleet.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// A certificate authority of one test, and the certificates that it signs.
final class NatsTestCertificates {
  private final Path folder;

  NatsTestCertificates(Path parent, String name) {
    this.folder = parent.resolve(name);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    openssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=%s -keyout ca.key -out ca.pem"
            .formatted(name));
    sign("client", "DNS:client");
  }

  Path authority() {
    return folder.resolve("ca.pem");
  }

  Path certificate(String name) {
    return folder.resolve(name + ".pem");
  }

  Path key(String name) {
    return folder.resolve(name + ".key");
  }

  /// The TLS block of a server configuration, for a server with that name and address.
  String tlsConfiguration(String host, String address) {
    sign("server", "DNS:%s,IP:%s".formatted(host, address));
    return "tls { timeout: 20, cert_file: \"%s\", key_file: \"%s\" }"
        .formatted(certificate("server"), key("server"));
  }

  private void sign(String name, String names) {
    openssl(
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=%1$s -keyout %1$s.key -out %1$s.csr"
            .formatted(name));
    try {
      Files.writeString(folder.resolve("names"), "subjectAltName=" + names);
      openssl(
          "x509 -req -days 2 -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -in %1$s.csr -out %1$s.pem"
              .formatted(name));
      Files.setPosixFilePermissions(key(name), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void openssl(String arguments) {
    List<String> command = List.of(("openssl " + arguments).split(" "));
    try {
      Process process =
          new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertEquals(0, process.onExit().join().exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
