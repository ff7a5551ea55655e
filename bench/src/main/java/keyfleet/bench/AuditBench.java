package keyfleet.bench;

import java.io.PrintStream;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.audit.AuditedKeystoreStore;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.SecretAuditWriter;
import keyfleet.control.rotation.SecretAuditWriter.PutIntent;
import keyfleet.crypto.Envelope;
import keyfleet.keyring.Timings;
import keyfleet.member.document.KeystoreStore.StoredKeystore;
import keyfleet.store.Bucket;
import keyfleet.store.Bytes;
import keyfleet.store.DeleteResult;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.Revision;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreTime;
import keyfleet.store.StoredRecord;
import keyfleet.store.Value;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.WriteResult;
import keyfleet.store.engine.Engine;

/// Compares what one process can put with the audit and without it, in turns, as `secret put` and
/// `secret import` put; and the verification of a large audit with reading the same rows through
/// the driver.
final class AuditBench {
  private static final int ROUNDS = 15;
  private static final int PUTS = 64;

  /// The lines that share one audit entry in an import.
  private static final int IMPORT_LINES = 32;

  private static final int VERIFY_ROUNDS = 5;
  private static final int ENTRIES_OF_A_WRITER = 20;
  private static final int BATCH = 10_000;
  private static final String BUCKET = "audit";
  private static final double PUT_BAR = 0.5;
  private static final double VERIFY_BAR_SECONDS = 5;
  private static final SealedTable TABLE = new SealedTable("audited_secrets");

  private final PrintStream out;
  private final Stopwatch watch;
  private final int entries;

  AuditBench(PrintStream out, Stopwatch watch, int entries) {
    this.out = out;
    this.watch = watch;
    this.entries = entries;
  }

  void run(List<String> engines, ScratchFolder scratch) throws Exception {
    out.printf(
        "audit: puts/s of one process, median of %d rounds of %d (ratio: to the same without the"
            + " audit; bar >= %.1f);%n       verification of %,d entries, ms, median of %d (bar <="
            + " %,.0f)%n",
        ROUNDS, PUTS, PUT_BAR, entries, VERIFY_ROUNDS, VERIFY_BAR_SECONDS * 1e3);
    for (String engine : engines) {
      SqlDatabase.measure(engine, scratch, out, this::measure);
    }
  }

  private void measure(SqlDatabase database) throws Exception {
    try (Engine engine = database.openEngine();
        Connection connection = database.connector().connect()) {
      BenchWorker worker = new BenchWorker(engine.kv(), watch.nanos());
      worker.bootstrap(Timings.DEFAULT);
      TABLE.create(connection, database.blob());
      worker.register(TABLE.registration(database.name()));
      comparePuts(database.name(), new Putter(worker, engine.records(TABLE.shape())));
      fill(database, connection, engine.kv(), worker);
      compareVerification(database, connection, worker);
    }
  }

  private void comparePuts(String name, Putter putter) throws Exception {
    double[] plain = new double[ROUNDS];
    double[] single = new double[ROUNDS];
    double[] imported = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      plain[i] = watch.seconds(putter::putPlain);
      single[i] = watch.seconds(() -> putter.putAudited(1));
      imported[i] = watch.seconds(() -> putter.putAudited(IMPORT_LINES));
    }
    printPuts(name, "put", single, plain);
    printPuts("", "import", imported, plain);
  }

  private void printPuts(String name, String what, double[] audited, double[] plain) {
    double ours = PUTS / Stopwatch.median(audited);
    double raw = PUTS / Stopwatch.median(plain);
    out.printf(
        "  %-11s %-7s audited %8.0f   without  %8.0f   ratio %.2f%n",
        name, what, ours, raw, ours / raw);
  }

  /// Puts secrets as the commands do. Each reads the fence, the keystore and the present value
  /// first.
  private static final class Putter {
    private final BenchWorker worker;
    private final Records records;
    private final SecretAuditWriter auditWriter;
    private int count;

    Putter(BenchWorker worker, Records records) {
      this.worker = worker;
      this.records = records;
      this.auditWriter = worker.auditWriter(_ -> Optional.of(records));
    }

    private StoredRecord seal() {
      var _ = records.fence();
      worker.keystore();
      int number = count++;
      RecordId id = new RecordId(SealedTable.id(number));
      if (records.read(id).isPresent()) {
        throw new IllegalStateException(id + " exists already");
      }
      Bytes envelope = Bytes.wrap(TABLE.seal(worker.cipher(), number));
      return new StoredRecord(id, SealedFields.of(Map.of(SealedTable.FIELD, envelope)));
    }

    private void insert(StoredRecord secret) {
      if (!(records.insert(secret) instanceof RecordWriteResult.Stored)) {
        throw new IllegalStateException(secret.id() + " was not stored");
      }
    }

    void putPlain() {
      for (int i = 0; i < PUTS; i++) {
        insert(seal());
      }
    }

    void putAudited(int lines) {
      for (int i = 0; i < PUTS; i += lines) {
        List<StoredRecord> secrets = new ArrayList<>();
        for (int j = 0; j < lines; j++) {
          secrets.add(seal());
        }
        if (!(auditWriter.writePutIntents(secrets.stream().map(Putter::intent).toList())
            instanceof Done)) {
          throw new IllegalStateException("the audit entry was not written");
        }
        secrets.forEach(this::insert);
      }
    }

    private static PutIntent intent(StoredRecord secret) {
      Envelope envelope =
          secret.fields().byName().values().stream()
              .findFirst()
              .flatMap(it -> Envelope.parse(it.toArray()))
              .orElseThrow();
      return new PutIntent(secret.id().value(), null, envelope);
    }
  }

  /// Makes the entries of many writers, and inserts them by the driver, which is much faster.
  private void fill(SqlDatabase database, Connection connection, Kv kv, BenchWorker worker)
      throws Exception {
    for (int from = 0; from < entries; from += BATCH) {
      CapturingKv capturing = new CapturingKv(kv, new ArrayList<>(), new ArrayList<>());
      int to = Math.min(entries, from + BATCH);
      for (int i = from; i < to; i += ENTRIES_OF_A_WRITER) {
        AuditedKeystoreStore writer = worker.keystores(capturing);
        StoredKeystore keystore = writer.read().orElseThrow();
        for (int j = i; j < Math.min(to, i + ENTRIES_OF_A_WRITER); j++) {
          AuditChange change = AuditChange.ofSecretIntent("name-" + j, "", "ab".repeat(32));
          if (!writer.writeIntent(keystore, "put secret name-" + j, List.of(change))) {
            throw new IllegalStateException("an entry was not made");
          }
        }
      }
      database.insertDocuments(
          connection, BUCKET, capturing.keys, capturing.values, kv.storeTime().millis());
    }
  }

  private void compareVerification(SqlDatabase database, Connection connection, BenchWorker worker)
      throws Exception {
    double[] ours = new double[VERIFY_ROUNDS];
    double[] raw = new double[VERIFY_ROUNDS];
    for (int i = 0; i < VERIFY_ROUNDS; i++) {
      raw[i] =
          watch.seconds(() -> {
            if (database.readDocuments(connection, BUCKET, "main") < entries) {
              throw new IllegalStateException("entries are missing");
            }
          });
      ours[i] =
          watch.seconds(() -> {
            AuditVerdict verdict = worker.keystores().reader().verify();
            if (!(verdict instanceof AuditVerdict.Intact)) {
              throw new IllegalStateException("the audit should be intact, but is " + verdict);
            }
          });
    }
    double verify = Stopwatch.median(ours);
    double read = Stopwatch.median(raw);
    out.printf(
        "  %-11s verify  audit   %8.0f   raw read %8.0f   ratio %.2f%n",
        "", verify * 1e3, read * 1e3, verify / read);
  }

  /// Keeps new audit entries in memory; all else goes to the store.
  private record CapturingKv(Kv inner, List<String> keys, List<byte[]> values) implements Kv {
    @Override
    public WriteResult create(Bucket bucket, Key key, Value value) {
      if (!bucket.name().equals(BUCKET)) {
        return inner.create(bucket, key, value);
      }
      keys.add(key.value());
      values.add(value.bytes().toArray());
      return new WriteResult.Written(new Revision(1));
    }

    @Override
    public Optional<Entry> get(Bucket bucket, Key key) {
      return inner.get(bucket, key);
    }

    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      return inner.update(bucket, key, value, expected);
    }

    @Override
    public WriteResult put(Bucket bucket, Key key, Value value) {
      return inner.put(bucket, key, value);
    }

    @Override
    public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
      return inner.delete(bucket, key, expected);
    }

    @Override
    public List<Entry> list(Bucket bucket, Prefix prefix) {
      return inner.list(bucket, prefix);
    }

    @Override
    public Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
      return inner.watch(bucket, prefix, watcher);
    }

    @Override
    public StoreTime storeTime() {
      return inner.storeTime();
    }
  }
}
