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
  private final RegisterHistory history;
  private @Nullable Entry lastSeen;

  RegisterClient(Kv kv, Bucket bucket, Key key, RegisterHistory history) {
    this.kv = kv;
    this.bucket = bucket;
    this.key = key;
    this.history = history;
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
    long began = history.begin();
    Optional<Entry> found = kv.get(bucket, key);
    history.recordAnswered(
        began, new Read(found.map(RegisterClient::number).orElse(RegisterOperation.ABSENT)));
    lastSeen = found.orElse(null);
  }

  private void put(int value) {
    long began = history.begin();
    switch (kv.put(bucket, key, text(value))) {
      case Written _ -> history.recordAnswered(began, new Put(value));
      case Unknown _ -> history.recordUnanswered(began, new Put(value));
      case Conflict _ -> throw new AssertionError("a put cannot conflict");
    }
  }

  private void create(int value) {
    long began = history.begin();
    recordSwap(
        began, kv.create(bucket, key, text(value)), new Swap(RegisterOperation.ABSENT, value));
  }

  private void update(Entry last, int value) {
    long began = history.begin();
    WriteResult result = kv.update(bucket, key, text(value), last.revision());
    recordSwap(began, result, new Swap(number(last), value));
  }

  private void recordSwap(long began, WriteResult result, Swap swap) {
    switch (result) {
      case Written _ -> history.recordAnswered(began, swap);
      case Conflict _ -> history.recordAnswered(began, new RefusedSwap(swap.expected()));
      case Unknown _ -> history.recordUnanswered(began, swap);
    }
  }

  private void delete(Entry last) {
    long began = history.begin();
    Effect deleted = new Swap(number(last), RegisterOperation.ABSENT);
    switch (kv.delete(bucket, key, last.revision())) {
      case Deleted _ -> history.recordAnswered(began, deleted);
      case Conflict _ -> history.recordAnswered(began, new RefusedSwap(number(last)));
      case Unknown _ -> history.recordUnanswered(began, deleted);
    }
  }

  private static int number(Entry entry) {
    return Integer.parseInt(entry.value().text());
  }

  private static Value text(int value) {
    return Value.of(Integer.toString(value));
  }
}
