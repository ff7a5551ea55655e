package keyfleet.cli.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.cli.CliFleet;
import keyfleet.cli.SqliteBackend;
import keyfleet.control.Failpoints;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditContext;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.crypto.KeyringName;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;
import keyfleet.store.engine.Engine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How long the audit of a large keyring takes.
class AuditThroughputTest {
  private static final int ENTRIES = 100_000;
  private static final int ENTRIES_OF_A_WRITER = 20;

  @TempDir Path folder = Path.of("");

  /// Thousands of chains, in a store in memory: the time is that of the verification alone.
  @Test
  void audit_isVerifiedInTime() {
    Kv kv = new FakeKv(new FakeStoreClock());
    AtomicLong nonces = new AtomicLong();
    try (CliFleet fleet = new CliFleet(new SqliteBackend(folder));
        Engine engine = new SqliteBackend(folder).open()) {
      fleet.announce(1);
      StoredKeystore keystore = open(engine.kv(), nonces).read().orElseThrow();
      open(kv, nonces).create(keystore.keystore(), "announce v1");
    }
    StoredKeystore keystore = open(kv, nonces).read().orElseThrow();
    for (int i = 0; i < ENTRIES / ENTRIES_OF_A_WRITER; i++) {
      AuditedKeystoreStore writer = open(kv, nonces);
      for (int j = 0; j < ENTRIES_OF_A_WRITER; j++) {
        assertTrue(
            writer.writeIntent(
                keystore,
                "put secret name-" + i,
                List.of(AuditChange.ofSecretIntent("name-" + i, "", "ab".repeat(32)))));
      }
    }
    AuditedKeystoreStore keystores = open(kv, nonces);
    AuditVerdict.Intact before = (AuditVerdict.Intact) keystores.reader().verify();
    assertEquals(ENTRIES / ENTRIES_OF_A_WRITER, before.untied().size());
    long start = System.nanoTime();
    assertTrue(keystores.replace(keystore, keystore.keystore(), "tie"));
    Duration tie = Duration.ofNanos(System.nanoTime() - start);
    start = System.nanoTime();
    AuditVerdict.Intact after = (AuditVerdict.Intact) keystores.reader().verify();
    Duration verify = Duration.ofNanos(System.nanoTime() - start);
    start = System.nanoTime();
    assertEquals(20, keystores.reader().newest(20, _ -> true).entries().size());
    Duration list = Duration.ofNanos(System.nanoTime() - start);
    System.out.printf(
        "%d entries of %d writers: verified in %d ms, listed in %d ms, tied in %d ms%n",
        ENTRIES, ENTRIES / ENTRIES_OF_A_WRITER, verify.toMillis(), list.toMillis(), tie.toMillis());
    assertEquals(List.of(), after.untied());
    assertTrue(verify.compareTo(Duration.ofSeconds(5)) < 0, verify::toString);
  }

  private static AuditedKeystoreStore open(Kv kv, AtomicLong nonces) {
    AuditContext context =
        new AuditContext(
            new AuditActor("anna", "desk-7", "cli"), InstantSource.fixed(Instant.EPOCH));
    return new KeyringStore(
            KeyringName.MAIN,
            kv,
            () -> "%032x".formatted(nonces.incrementAndGet()),
            Failpoints.NONE,
            context)
        .keystores();
  }
}
