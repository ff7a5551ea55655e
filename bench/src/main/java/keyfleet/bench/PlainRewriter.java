package keyfleet.bench;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import keyfleet.crypto.Envelope;
import keyfleet.store.Bytes;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// Does what a rotation does to the store, without its cryptography: scans by version, makes other
/// bytes of the same length under version 2, and writes them with compare-and-set in the same
/// batches.
final class PlainRewriter {
  private static final int WRAPPED = 12;

  private final Records records;
  private final int batch;
  private final Executor reader;
  private @Nullable CompletableFuture<List<StoredRecord>> ahead;
  private long done;

  /// Scans on `reader`. With an executor that runs tasks in the calling thread, reads and writes
  /// alternate; with another one, the next batch is read while one is written.
  PlainRewriter(Records records, int batch, Executor reader) {
    this.records = records;
    this.batch = batch;
    this.reader = reader;
  }

  /// Continues until `goal` records are written in all.
  void rewriteUntil(long goal) {
    while (done < goal) {
      List<StoredRecord> found = next();
      if (found.isEmpty()) {
        throw new IllegalStateException("no records are left to rewrite");
      }
      RecordId last = found.getLast().id();
      ahead = CompletableFuture.supplyAsync(() -> scan(last), reader);
      done += write(found);
    }
  }

  private List<StoredRecord> next() {
    return ahead == null ? records.scan(BenchWorker.V1, batch) : ahead.join();
  }

  private List<StoredRecord> scan(RecordId last) {
    return records.scan(BenchWorker.V1, last, batch);
  }

  private long write(List<StoredRecord> found) {
    List<RecordChange> changes = new ArrayList<>();
    for (StoredRecord each : found) {
      changes.add(changeKey(each));
    }
    long stored =
        records.compareAndSetAll(changes).stream().filter(Stored.class::isInstance).count();
    if (stored != found.size()) {
      throw new IllegalStateException(stored + " of " + found.size() + " were stored");
    }
    return stored;
  }

  static RecordChange changeKey(StoredRecord record) {
    Bytes sealed = record.fields().byName().get(SealedTable.FIELD);
    if (sealed == null) {
      throw new IllegalStateException("record " + record.id() + " has no sealed field");
    }
    Bytes changed = Bytes.copyOf(changeKey(sealed.toArray()));
    return new RecordChange(record, SealedFields.of(Map.of(SealedTable.FIELD, changed)));
  }

  /// The same envelope under version 2, with other bytes where the data key is.
  static byte[] changeKey(byte[] sealed) {
    byte[] bytes = sealed.clone();
    ByteBuffer envelope = ByteBuffer.wrap(bytes);
    envelope.putInt(Envelope.VERSION_OFFSET, BenchWorker.V2.number());
    int wrapped = envelope.getShort(WRAPPED - Short.BYTES);
    for (int i = WRAPPED; i < WRAPPED + wrapped; i++) {
      bytes[i] ^= 1;
    }
    return bytes;
  }
}
