package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// A certificate authority of one test, and the certificates that it signs. `openssl` makes them;
/// the keys are RSA, the only kind that PostgreSQL's driver reads.
public final class TestCertificates {
  private final Path folder;

  public TestCertificates(Path parent, String name) {
    this.folder = parent.resolve(name);
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    openssl(
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=%s -keyout ca.key -out ca.pem"
            .formatted(name));
  }

  public Path authority() {
    return folder.resolve("ca.pem");
  }

  public Path certificate(String name) {
    return folder.resolve(name + ".pem");
  }

  public Path key(String name) {
    return folder.resolve(name + ".key");
  }

  /// Makes a key that only its owner may read, and its certificate; `names` are its alternative
  /// names, for example `DNS:localhost`.
  public TestCertificates sign(String name, String names) {
    openssl(
        "req -newkey rsa:2048 -nodes -subj /CN=%1$s -keyout %1$s.key -out %1$s.csr"
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
    return this;
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
