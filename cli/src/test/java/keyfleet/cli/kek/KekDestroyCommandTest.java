package keyfleet.cli.kek;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.InMemoryBackend;
import keyfleet.cli.output.Console.Output;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.providers.ProviderFixtures;
import keyfleet.providers.pkcs11.SoftHsm;
import keyfleet.providers.vault.OpenBaoServer;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.Records;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kek remove --destroy` deletes the key where this host can, once nothing needs it.
class KekDestroyCommandTest {
  @TempDir Path folder = Path.of("");
  private final InMemoryBackend backend = new InMemoryBackend();
  private final CliFleet fleet = new CliFleet(backend);

  @AfterEach
  void stop() {
    fleet.close();
  }

  private CommandResult destroy(String... more) {
    return fleet.runLine("kek remove --version=1 --destroy --yes", more);
  }

  /// A fleet whose operator and worker have the keys of this provider, after a rotation from
  /// version 1 to version 2. Version 1 is disabled, and no backup needs it.
  private void rotateAway(String provider) {
    fleet.environment.remove("KEYFLEET_KEK_V1");
    fleet.environment.put("KEYFLEET_PROVIDER", provider);
    fleet.announce(1, 2);
    fleet.start(new Host("worker-1", 7, "", Instant.EPOCH), "worker", provider);
    fleet.runWith("hunter2", "secret", "put", "db").expectExit(0);
    fleet.run("kek", "rotate", "--from-version=1", "--to-version=2", "--wait").expectExit(0);
    fleet.writeHeartbeats();
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    backend.advance(Duration.ofDays(31));
    fleet.writeHeartbeats();
  }

  private String rotateAwayFromFiles() {
    ProviderFixtures.file(folder.resolve("main.v1.key"), CliFleet.key(1), "rw-------");
    ProviderFixtures.file(folder.resolve("main.v2.key"), CliFleet.key(2), "rw-------");
    rotateAway("file:" + folder);
    return folder.resolve("main.v1.key").toString();
  }

  private String audit() {
    return fleet.run("audit", "list", "--limit=200").expectExit(0).out();
  }

  @Test
  void keyFile_isDeleted_andTheVersionDestroyedOnceNoProcessHoldsIt() {
    String file = rotateAwayFromFiles();
    assertEquals(
        """
        deleted file %s
        main v1 is destroying
          host=worker-1 pid=7 still holds its key
        Now delete its key everywhere, then: keyfleet kek remove --version=1 --destroy
        """
            .formatted(file),
        destroy().expectExit(0).err());
    assertFalse(Files.exists(Path.of(file)), file);
    String audit = audit();
    assertTrue(audit.contains("delete the key of v1"), audit);
    assertTrue(audit.contains("key.v1: file " + file + " → none"), audit);
    destroy().expectExit(2).expectErrorPart("  host=worker-1 pid=7 still holds its key\n");
    fleet.writeHeartbeats();
    fleet.writeHeartbeats();
    assertEquals("main v1 is destroyed\n", destroy().expectExit(0).err());
    assertEquals("hunter2", fleet.run("secret", "get", "db").expectExit(0).out());
    assertTrue(fleet.run("audit", "verify").expectExit(0).out().contains(":"), "the audit");
  }

  @Test
  void refusedDestruction_deletesNothing() {
    String file = rotateAwayFromFiles();
    fleet.run("kek", "remove", "--version=1", "--undo").expectExit(0);
    destroy().expectExit(2).expectErrorPart("not disabled");
    fleet.run("kek", "remove", "--version=1", "--yes").expectExit(0);
    destroy().expectExit(2).expectErrorPart("backups younger than 30 days");
    fleet.output = Output.TERMINAL;
    fleet
        .runWith("main/v2\n", "kek", "remove", "--version=1", "--destroy", "--horizon=0d")
        .expectExit(1)
        .expectErrorPart("Type main/v1 to destroy it: keyfleet: nothing was changed\n");
    assertTrue(Files.exists(Path.of(file)), file);
    assertFalse(audit().contains("delete the key"), "the audit");
  }

  @Test
  void otherBytesUnderTheNumber_areNotDeleted() {
    String file = rotateAwayFromFiles();
    ProviderFixtures.file(Path.of(file), CliFleet.key(9), "rw-------");
    destroy()
        .expectExit(0)
        .expectErrorPart(
            "  provider file of this host has a key of v1 that does not prove to be the fleet's, and"
                + " so is not deleted\n");
    assertTrue(Files.exists(Path.of(file)), file);
  }

  @Test
  void linkedKeyFile_isLeftToAPerson() throws IOException {
    String file = rotateAwayFromFiles();
    Path mounted = Files.move(Path.of(file), folder.resolve("mounted"));
    Files.createSymbolicLink(Path.of(file), mounted);
    destroy().expectExit(0).expectErrorPart(file + " is a link: delete the key where");
    assertTrue(Files.exists(mounted), "the key");
  }

  /// A provider that cannot be read may have the key.
  @Test
  void unreadableProvider_isNoProof() throws IOException {
    String file = rotateAwayFromFiles();
    destroy().expectExit(0);
    assertFalse(Files.exists(Path.of(file)), file);
    fleet.stop("worker-1");
    fleet.environment.put("KEYFLEET_PROVIDER", "file:" + folder.resolve("nowhere"));
    destroy()
        .expectExit(2)
        .expectErrorPart("  this host cannot load file: the key folder " + folder + "/nowhere");
    fleet.environment.put("KEYFLEET_PROVIDER", "file:" + folder);
    destroy().expectExit(0);
  }

  @Test
  void json_listsWhatWasDeleted() {
    String file = rotateAwayFromFiles();
    assertEquals(
        "{\"keyring\":\"main\",\"version\":1,\"state\":\"destroying\",\"done\":true,\"reasons\":[],"
            + "\"deleted\":[\"deleted file "
            + file
            + "\"],\"remaining\":[\"host=worker-1 pid=7 still holds its key\"]}\n",
        destroy("-o", "json").expectExit(0).out());
  }

  @Test
  void tokenObject_isDestroyed() throws IOException {
    try (SoftHsm hsm = SoftHsm.in(folder)) {
      String provider =
          "pkcs11:%s?token=%s&pin-file=%s"
              .formatted(SoftHsm.module(), SoftHsm.TOKEN, hsm.pinFile());
      for (int version = 1; version <= 2; version++) {
        fleet
            .run("kek", "pkcs11-init", "--version=" + version, "--provider=" + provider)
            .expectExit(0);
      }
      rotateAway(provider);
      destroy()
          .expectExit(0)
          .expectErrorStart(
              "destroyed key keyfleet-main-v1 on token fleet\nmain v1 is destroying\n");
      fleet.writeHeartbeats();
      fleet.writeHeartbeats();
      assertEquals("main v1 is destroyed\n", destroy().expectExit(0).err());
      assertEquals(
          "PROVIDER   VERSION  RESULT\npkcs11     v2       ok\n",
          fleet.run("kek", "verify", "--local").expectExit(0).out());
      fleet.close();
    }
  }

  @Test
  void transitVersion_isBelowTheMinimum() {
    try (OpenBaoServer bao = OpenBaoServer.start(folder)) {
      bao.callAsAdmin("POST", "transit/keys/keyfleet-main", "{}");
      bao.rotateKey("keyfleet-main");
      Path token = bao.createTokenFile("keyfleet-main", "");
      rotateAway("vault:%s?token-file=%s".formatted(bao.address(), token));
      CommandResult forbidden = destroy().expectExit(0);
      forbidden.expectErrorPart("forbids transit/keys/keyfleet-main/config (403)");
      forbidden.expectErrorPart(
          "path \"transit/keys/keyfleet-main/config\" { capabilities = [\"update\"] }");
      bao.allowConfig("keyfleet-main");
      destroy()
          .expectExit(2)
          .expectErrorStart(
              "raised min_decryption_version of Transit key transit/keyfleet-main to 2; to erase what"
                  + " is below for good: bao write transit/keys/keyfleet-main/trim"
                  + " min_available_version=2\n");
      String key = bao.callAsAdmin("GET", "transit/keys/keyfleet-main", "");
      assertTrue(key.contains("\"min_decryption_version\":2"), key);
      fleet.writeHeartbeats();
      fleet.writeHeartbeats();
      assertEquals("main v1 is destroyed\n", destroy().expectExit(0).err());
      assertEquals("hunter2", fleet.run("secret", "get", "db").expectExit(0).out());
      fleet.close();
    }
  }

  /// The waiver of a fence is written in the audit, and is needed only where there is none.
  @Test
  void collectionWithoutAFence_needsAWaiver() {
    AtomicBoolean isUnfenced = new AtomicBoolean();
    backend.recordsWrapper = it -> isUnfenced.get() ? new UnfencedRecords(it) : it;
    rotateAwayFromFiles();
    isUnfenced.set(true);
    destroy()
        .expectExit(2)
        .expectErrorPart(
            "  sqlite keyfleet_secrets has no fence: a paused writer may still write it\n");
    assertTrue(Files.exists(folder.resolve("main.v1.key")), "the key");
    destroy("--waive-fence").expectExit(0).expectErrorStart("deleted file ");
    String audit = audit();
    assertTrue(audit.contains("anna@desk-7 (desk-7-42)  destroy v1, fence waived\n"), audit);
    fleet
        .run("kek", "remove", "--version=1", "--waive-fence")
        .expectExit(1)
        .expectErrorStart("keyfleet: --waive-fence has no effect without --destroy\n");
  }

  private record UnfencedRecords(Records inner) implements ForwardingRecords {
    @Override
    public FenceResult fence(Fence fence) {
      return new FenceResult.Unenforced();
    }
  }
}
