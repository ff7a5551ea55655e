package keyfleet.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import keyfleet.member.MemberException;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.member.PlainFields;
import keyfleet.member.SealedRecords;
import keyfleet.store.Document;

/// The load of one application: it reads all records, changes its own, adds new ones, and compares
/// what it reads with what was acknowledged.
final class OrderWorkload {
  private static final int READS_PER_WRITE = 4;
  private static final int CHANGES_PER_INSERT = 5;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

  private final SealedRecords records;
  private final int index;
  private final int applications;
  private final int count;
  private final String name;

  /// The last generation that was read of each record.
  private final Map<String, Long> seen = new HashMap<>();

  /// The records whose last change got no clear answer.
  private final Set<String> unclear = new HashSet<>();

  private volatile boolean stopped;
  private long reads;
  private long failedReads;
  private long wrongReads;
  private long writes;
  private long refused;
  private long unansweredReads;
  private long unansweredWrites;
  private long added;

  /// `numbers`: the index of this application, the number of applications, the number of records.
  OrderWorkload(SealedRecords records, List<Integer> numbers, String name) {
    this.records = records;
    this.index = numbers.get(0);
    this.applications = numbers.get(1);
    this.count = numbers.get(2);
    this.name = name + "-" + ProcessHandle.current().pid();
  }

  /// Works until `input` ends.
  Document runUntilClosed(BufferedReader input) {
    Thread listener = Thread.ofPlatform().daemon().start(() -> awaitEndOfInput(input));
    System.out.println(OrderApplication.AT_WORK);
    for (int i = 1; !stopped; i++) {
      read(OrderApplication.id(ThreadLocalRandom.current().nextInt(count)));
      if (i % READS_PER_WRITE == 0) {
        write(i / READS_PER_WRITE);
      }
      LockSupport.parkNanos(PAUSE);
    }
    listener.interrupt();
    return Document.builder()
        .number("reads", reads)
        .number("failed_reads", failedReads)
        .number("wrong_reads", wrongReads)
        .number("writes", writes)
        .number("refused_writes", refused)
        .number("unanswered_reads", unansweredReads)
        .number("unanswered_writes", unansweredWrites)
        .number("added", added)
        .build();
  }

  private void awaitEndOfInput(BufferedReader input) {
    try {
      String line = input.readLine();
      while (line != null) {
        line = input.readLine();
      }
      stopped = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(String id) {
    reads++;
    try {
      Optional<PlainFields> found = records.find(id);
      if (found.isEmpty()) {
        reportWrong(id, "is gone");
        return;
      }
      try (PlainFields values = found.get()) {
        checkGeneration(id, OrderApplication.generation(id, values));
      }
    } catch (StoreUnavailable e) {
      unansweredReads++;
      System.err.println("read of " + id + ": " + e.getMessage());
    } catch (MemberException e) {
      failedReads++;
      System.err.println("read of " + id + " failed: " + e.getMessage());
    }
  }

  /// Acknowledged changes are there, and no generation decreases.
  private void checkGeneration(String id, long generation) {
    Long last = seen.get(id);
    boolean isOwn = Integer.parseInt(id.substring(id.indexOf('-') + 1)) % applications == index;
    boolean isExact = isOwn && !unclear.contains(id);
    if (generation < 0
        || (last != null && (generation < last || (isExact && generation != last)))) {
      reportWrong(id, "is at " + generation + ", and was at " + last);
    }
    seen.put(id, generation);
    unclear.remove(id);
  }

  private void reportWrong(String id, String what) {
    wrongReads++;
    System.err.println("record " + id + " " + what);
  }

  private void write(int turn) {
    try {
      if (turn % CHANGES_PER_INSERT == 0) {
        add();
      } else {
        change(
            OrderApplication.id(
                index + applications * ThreadLocalRandom.current().nextInt(count / applications)));
      }
    } catch (StoreUnavailable e) {
      unansweredWrites++;
      System.err.println("write: " + e.getMessage());
    } catch (MemberException e) {
      refused++;
    }
  }

  private void add() {
    String id = name + "-" + (added + refused + unansweredWrites);
    try (PlainFields values = OrderApplication.fields(id, 0)) {
      if (records.insert(id, values)) {
        added++;
        writes++;
      }
    }
  }

  private void change(String id) {
    read(id);
    Long last = seen.get(id);
    if (last == null) {
      return;
    }
    long next = last + 1;
    unclear.add(id);
    try (PlainFields values = OrderApplication.fields(id, next)) {
      if (records.update(id, values)) {
        seen.put(id, next);
        unclear.remove(id);
        writes++;
      } else {
        reportWrong(id, "is gone");
      }
    }
  }
}
