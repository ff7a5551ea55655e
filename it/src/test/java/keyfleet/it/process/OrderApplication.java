package keyfleet.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;
import keyfleet.member.Member;
import keyfleet.member.MemberException;
import keyfleet.member.PlainFields;
import keyfleet.store.Bytes;
import keyfleet.store.Document;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;

/// An application that stores sealed orders. A record's content follows from its id and its
/// generation, so every reader can check it.
///
/// | task                 | what it does                                                                   |
/// |----------------------|--------------------------------------------------------------------------------|
/// | `load N`             | creates the table and fills it                                                 |
/// | `fill N`             | as `load`, on SQLite alone, with many records in one transaction               |
/// | `work I OF N`        | changes every OF-th of N records, adds some, reads all, until its input closes |
/// | `pause-before-write` | seals, waits for a line, and then writes                                       |
/// | `check`              | opens every record                                                             |
///
/// It prints its result as one JSON object on standard output.
public final class OrderApplication {
  public static final String SEALED = "sealed but not written";
  public static final String AT_WORK = "reading and writing records";

  private static final int LOADERS = 8;
  private static final int PAGE = 500;
  private static final int FILL_BATCH = 1_000;

  private final Member member;
  private final Records records;
  private final BufferedReader input;

  private OrderApplication(Member member, Records records, BufferedReader input) {
    this.member = member;
    this.records = records;
    this.input = input;
  }

  public static void main(String[] args) throws IOException {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (TestWiring wiring = new TestWiring(System.getenv())) {
      if (List.of("load", "fill").contains(args[0])) {
        wiring.records().createCollection(TestWiring.ORDERS);
      }
      try (Member member = join(wiring)) {
        Records records = wiring.records().records(TestWiring.ORDERS);
        System.out.println(
            new OrderApplication(member, records, input).run(List.of(args)).toValue().text());
      }
    }
    Runtime.getRuntime().halt(0); // threads of database drivers would keep it alive
  }

  static Member join(TestWiring wiring) {
    var builder =
        Member.builder(wiring.stores().kv(), TestWiring.KEYRING)
            .software("0.1.0")
            .listener(event -> System.err.println(event.message()))
            .collection(wiring.recordsEngine(), wiring.records(), TestWiring.ORDERS);
    wiring.providers().forEach(builder::provider);
    return builder.join();
  }

  private Document run(List<String> task) throws IOException {
    return switch (task.getFirst()) {
      case "load" -> load(Integer.parseInt(task.get(1)));
      case "fill" -> fill(Integer.parseInt(task.get(1)));
      case "work" ->
          new OrderWorkload(
                  member.records(TestWiring.ORDERS.name()), numbers(task), member.instance())
              .runUntilClosed(input);
      case "pause-before-write" -> pauseBeforeWrite();
      case "check" -> check();
      default -> throw new IllegalArgumentException("no such task: " + task);
    };
  }

  private static List<Integer> numbers(List<String> task) {
    return task.stream().skip(1).map(Integer::parseInt).toList();
  }

  public static String id(int number) {
    return "order-" + number;
  }

  public static PlainFields fields(String id, long generation) {
    return PlainFields.ofTexts(Map.of("card", id + "#" + generation, "note", "of " + id));
  }

  /// The generation, or -1 if no application wrote this content.
  public static long generation(String id, PlainFields found) {
    String card = found.text("card");
    boolean isRight = card.startsWith(id + "#") && found.text("note").equals("of " + id);
    return isRight ? Long.parseLong(card.substring(id.length() + 1)) : -1;
  }

  private Document load(int count) {
    InProcessMember.awaitSealing(member);
    AtomicInteger inserted = new AtomicInteger();
    List<Thread> loaders =
        IntStream.range(0, LOADERS)
            .mapToObj(loader -> Thread.ofPlatform().start(() -> load(loader, count, inserted)))
            .toList();
    for (Thread loader : loaders) {
      try {
        loader.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return Document.builder().number("inserted", inserted.get()).build();
  }

  private void load(int loader, int count, AtomicInteger inserted) {
    for (int i = loader; i < count; i += LOADERS) {
      String id = id(i);
      Await.until(id + " is stored", () -> InProcessMember.tryInsert(member, id));
      inserted.incrementAndGet();
    }
  }

  private Document fill(int count) {
    InProcessMember.awaitSealing(member);
    var cipher = member.records(TestWiring.ORDERS.name()).cipher();
    String file =
        System.getenv().getOrDefault("KEYFLEET_RECORDS", "").substring("sqlite:".length());
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO orders (id, card, note) VALUES (?, ?, ?)")) {
      for (int from = 0; from < count; from += FILL_BATCH) {
        List<StoredRecord> sealed = new ArrayList<>();
        for (int i = from; i < Math.min(count, from + FILL_BATCH); i++) {
          try (PlainFields values = fields(id(i), 0)) {
            sealed.add(cipher.seal(id(i), values));
          }
        }
        insertAll(connection, insert, sealed);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return Document.builder().number("inserted", count).build();
  }

  private static void insertAll(
      Connection connection, PreparedStatement insert, List<StoredRecord> sealed)
      throws SQLException {
    connection.setAutoCommit(false);
    for (StoredRecord record : sealed) {
      Map<String, Bytes> fields = record.fields().byName();
      insert.setString(1, record.id().value());
      insert.setBytes(2, Objects.requireNonNull(fields.get("card")).toArray());
      insert.setBytes(3, Objects.requireNonNull(fields.get("note")).toArray());
      insert.addBatch();
    }
    insert.executeBatch();
    connection.commit();
    connection.setAutoCommit(true);
  }

  /// Seals one new record and one change now, and writes them later.
  private Document pauseBeforeWrite() throws IOException {
    InProcessMember.awaitSealing(member);
    var cipher = member.records(TestWiring.ORDERS.name()).cipher();
    StoredRecord asRead = records.read(new RecordId(id(0))).orElseThrow();
    try (PlainFields added = fields("late", 0);
        PlainFields changed = fields(id(0), 1_000_000)) {
      StoredRecord late = cipher.seal("late", added);
      RecordChange change = cipher.change(asRead, changed);
      System.out.println(SEALED);
      input.readLine();
      return Document.builder()
          .text("insert", records.insert(late).getClass().getSimpleName())
          .text("change", records.compareAndSet(change).getClass().getSimpleName())
          .build();
    }
  }

  private Document check() {
    Document.Builder report = Document.builder();
    long wrong = 0;
    long all = 0;
    for (KekVersion version : records.census().belonging().keySet()) {
      long opened = 0;
      List<StoredRecord> page = records.scan(version, PAGE);
      while (!page.isEmpty()) {
        for (StoredRecord record : page) {
          if (isRight(record)) {
            opened++;
          } else {
            wrong++;
          }
        }
        page = records.scan(version, page.getLast().id(), PAGE);
      }
      all += opened;
      report.number(version.toString(), opened);
    }
    return report.number("opened", all).number("wrong", wrong).build();
  }

  private boolean isRight(StoredRecord record) {
    try (PlainFields found = member.records(TestWiring.ORDERS.name()).cipher().open(record)) {
      return generation(record.id().value(), found) >= 0;
    } catch (MemberException e) {
      System.err.println(e.getMessage());
      return false;
    }
  }
}
