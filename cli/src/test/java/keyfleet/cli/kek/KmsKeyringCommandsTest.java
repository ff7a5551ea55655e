package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A keyring for Kubernetes: `kek rotate` ends once the plugins have flipped, and an operator
/// attests the rest.
class KmsKeyringCommandsTest {
  private static final String ROTATE = "kek rotate --from-version=1 --to-version=2";
  private static final String REASON = "--reason=all objects were rewritten";

  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @BeforeEach
  void announceVersionsAndStartFleet() {
    fleet.addKeys(2);
    fleet.run("kek", "announce", "--version=1", "--use=kms", "--keyring=main").expectExit(0);
    fleet.announce(2);
    fleet.start("worker-1", "worker", 1, 2);
  }

  private CommandResult attest(String... more) {
    return fleet.runLine("kek attest --version=1 --yes", more);
  }

  @Test
  void flippedRotation_saysWhatIsLeft() {
    CommandResult result = fleet.runLine(ROTATE, "--wait").expectExit(0);
    assertEquals(
        """
        v1 -> v2: every plugin announces v2; the objects in etcd still need v1
        Rewrite them through the API servers, for example: kubectl get secrets -A -o json | kubectl replace -f -
        Then: run keyfleet kek attest --version=1 --reason=TEXT
        """,
        result.err());
    assertTrue(
        fleet
            .run("kek", "status", "-o", "json")
            .expectExit(0)
            .out()
            .contains("\"state\":\"in_progress\",\"phase\":\"proving\""),
        "the phase");
    fleet
        .run("kek", "remove", "--version=1")
        .expectExit(2)
        .expectErrorPart("then attest that none needs the version");
    assertEquals(
        "keyring main: cluster any is attested not to need v1\n",
        attest(REASON).expectExit(0).err());
    assertEquals(
        "{\"keyring\":\"main\",\"done\":true,\"changed\":false}\n",
        attest(REASON, "-o", "json").expectExit(0).out());
    fleet.run("kek", "watch").expectExit(0);
    assertTrue(
        fleet
            .run("audit", "list", "--action=attest")
            .expectExit(0)
            .out()
            .contains("attest that cluster any does not need v1: all objects were rewritten\n"),
        "the audit");
    fleet.writeHeartbeats();
    fleet.run("kek", "remove", "--version=1").expectExit(0);
  }

  @Test
  void waitForTheProof_waitsForTheAttestation() {
    fleet
        .runLine(ROTATE, "--wait=proof", "--timeout=5m")
        .expectExit(2)
        .expectErrorPart("timeout reached in phase proving; the rotation continues\n");
    fleet.onPause(5, () -> attest(REASON).expectExit(0));
    CommandResult result = fleet.runLine(ROTATE, "--wait=proof").expectExit(0);
    assertTrue(
        result.out().lines().toList().getLast().startsWith("v1 -> v2  completed"), result.out());
    fleet
        .runLine(ROTATE, "--wait=proofs")
        .expectExit(1)
        .expectErrorStart("keyfleet: --wait=proofs ");
  }

  @Test
  void nextRotation_startsBeforeTheProof() {
    fleet.runLine(ROTATE, "--wait").expectExit(0);
    fleet.addKeys(3);
    fleet.announce(3);
    fleet.start("worker-1", "worker", 1, 2, 3);
    fleet.writeHeartbeats();
    fleet.run("kek", "rotate", "--from-version=2", "--to-version=3", "--wait").expectExit(0);
    backend.advance(Duration.ofSeconds(1));
    assertTrue(
        fleet.run("kek", "list").expectExit(0).out().contains("v1       decrypt-only"), "the list");
  }

  @Test
  void attestation_needsAVersionThatWasActiveAndAKnownCluster() {
    attest(REASON).expectExit(2).expectErrorPart("; nothing was changed\nTry: keyfleet kek list\n");
    attest(REASON, "--cluster=blue")
        .expectExit(1)
        .expectErrorStart(
            "keyfleet: no plugin of cluster blue was ever heard; the clusters are any\nTry: keyfleet"
                + " kek attest --version=1 --yes '--reason=all objects were rewritten'"
                + " --cluster=any\n");
    attest("--reason=it's done")
        .expectExit(1)
        .expectErrorStart("keyfleet: --reason must have 1 to");
    CliFleet records = new CliFleet(new InMemoryBackend());
    records.announce(1);
    records
        .run("kek", "attest", "--version=1", "--yes", REASON)
        .expectExit(2)
        .expectErrorStart(
            "keyfleet: keyring main is for records, which Keyfleet counts; only the versions of a kms"
                + " keyring are attested\nTry: keyfleet kek inventory\n");
  }
}
