package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import keyfleet.cli.CliFleet;
import keyfleet.cli.InMemoryBackend;
import keyfleet.providers.vault.OpenBaoServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Commands with keys in a remote provider.
class RemoteProviderCommandsTest {
  @TempDir Path folder = Path.of("");
  private final CliFleet fleet = new CliFleet(new InMemoryBackend());

  private static final String BOTH_OK =
      """
      PROVIDER   VERSION  RESULT
      vault      v1       ok
      vault      v2       ok
      """;

  @Test
  void rotatedTransitKey_isACandidateUntilAnnounced() {
    try (OpenBaoServer bao = OpenBaoServer.start(folder)) {
      bao.callAsAdmin("POST", "transit/keys/keyfleet-main", "{}");
      Path token = bao.createTokenFile("keyfleet-main", "");
      fleet.environment.put(
          "KEYFLEET_PROVIDER", "vault:%s?token-file=%s".formatted(bao.address(), token));
      fleet.run("kek", "verify", "--local").expectExit(0);
      fleet.announce(1);
      bao.rotateKey("keyfleet-main");
      assertEquals(BOTH_OK, fleet.run("kek", "verify", "--local").expectExit(0).out());
      String known = fleet.run("kek", "list", "-o", "json").expectExit(0).out();
      assertTrue(known.contains("\"provider\":\"vault\""), known);
      assertTrue(!known.contains("\"version\":2"), known);
      assertEquals(
          "main v2 is announced\n",
          fleet.run("kek", "announce", "--version=2").expectExit(0).err());
    }
  }

  @Test
  void absentTransitKey_isExplained() {
    try (OpenBaoServer bao = OpenBaoServer.start(folder)) {
      Path token = bao.createTokenFile("keyfleet-main", "");
      fleet.environment.put(
          "KEYFLEET_PROVIDER", "vault:%s?token-file=%s".formatted(bao.address(), token));
      assertEquals(
          """
          keyfleet: there is no Transit key transit/keyfleet-main at %s
          Try: bao write -f transit/keys/keyfleet-main (or: vault …), which makes version 1
          """
              .formatted(bao.address()),
          fleet.run("kek", "verify", "--local").expectExit(1).err());
    }
  }

  @Test
  void providerOfAnotherModule_isKnown() {
    assertEquals(
        """
        keyfleet: provider awskms:nowhere: not a valid AWS region
        Try: awskms:eu-central-1?alias=NAME
        """,
        fleet.run("kek", "verify", "--local", "--provider=awskms:nowhere").expectExit(1).err());
  }
}
