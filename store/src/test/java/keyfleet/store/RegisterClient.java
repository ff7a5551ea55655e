package keyfleet.store;

import java.util.Optional;
import java.util.Random;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.RegisterOperation.Effect;
import keyfleet.store.RegisterOperation.Effect.Put;
import keyfleet.store.RegisterOperation.Effect.Read;
import keyfleet.store.RegisterOperation.Effect.RefusedSwap;
import keyfleet.store.RegisterOperation.Effect.Swap;
import keyfleet.store.WriteResult.Written;
import org.jspecify.annotations.Nullable;

/// A client that uses one key as a register, with random calls, and records the results. No value
/// is written twice, so each revision has exactly one value.
final class RegisterClient {
  private final Kv kv;
  private final Bucket bucket;
  private final Key key;
  private final RegisterHistory registerHistory;
  private @Nullable Entry lastSeen;

  RegisterClient(Kv kv, Bucket bucket, Key key, RegisterHistory registerHistory) {
    this.kv = kv;
    this.bucket = bucket;
    this.key = key;
    this.registerHistory = registerHistory;
  }

  /// Makes `count` calls; only this client uses `firstValue` and the values after it.
  void run(Random random, int count, int firstValue) {
    for (int i = 0; i < count; i++) {
      call(random.nextInt(8), firstValue + i);
    }
  }

  private void call(int choice, int value) {
    Entry last = lastSeen;
    switch (choice) {
      case 0 -> put(value);
      case 1, 2 -> create(value);
      case 3, 4 -> {
        if (last != null) {
          update(last, value);
        }
      }
      case 5 -> {
        if (last != null) {
          delete(last);
        }
      }
      default -> read();
    }
  }

  private void read() {
    long began = registerHistory.begin();
    Optional<Entry> found = kv.get(bucket, key);
    registerHistory.recordAnswered(
        began, new Read(found.map(RegisterClient::number).orElse(RegisterOperation.ABSENT)));
    lastSeen = found.orElse(null);
  }

  private void put(int value) {
    long began = registerHistory.begin();
    switch (kv.put(bucket, key, text(value))) {
      case Written _ -> registerHistory.recordAnswered(began, new Put(value));
      case Unknown _ -> registerHistory.recordUnanswered(began, new Put(value));
      case Conflict _ -> throw new AssertionError("a put cannot conflict");
    }
  }

  private void create(int value) {
    long began = registerHistory.begin();
    recordSwap(
        began, kv.create(bucket, key, text(value)), new Swap(RegisterOperation.ABSENT, value));
  }

  private void update(Entry last, int value) {
    long began = registerHistory.begin();
    WriteResult writeResult = kv.update(bucket, key, text(value), last.revision());
    recordSwap(began, writeResult, new Swap(number(last), value));
  }

  private void recordSwap(long began, WriteResult writeResult, Swap swap) {
    switch (writeResult) {
      case Written _ -> registerHistory.recordAnswered(began, swap);
      case Conflict _ -> registerHistory.recordAnswered(began, new RefusedSwap(swap.expected()));
      case Unknown _ -> registerHistory.recordUnanswered(began, swap);
    }
  }

  private void delete(Entry last) {
    long began = registerHistory.begin();
    Effect deleted = new Swap(number(last), RegisterOperation.ABSENT);
    switch (kv.delete(bucket, key, last.revision())) {
      case Deleted _ -> registerHistory.recordAnswered(began, deleted);
      case Conflict _ -> registerHistory.recordAnswered(began, new RefusedSwap(number(last)));
      case Unknown _ -> registerHistory.recordUnanswered(began, deleted);
    }
  }

  private static int number(Entry entry) {
    return Integer.parseInt(entry.value().text());
  }

  private static Value text(int value) {
    return Value.of(Integer.toString(value));
  }
}
