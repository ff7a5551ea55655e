package keyfleet.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;
import keyfleet.cli.CliFleet;
import keyfleet.cli.CliFleet.CommandResult;
import keyfleet.cli.CommandDispatcher;
import keyfleet.cli.output.Console.Output;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.Bucket;
import keyfleet.store.CollectionShape;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.Test;

/// Tests `doctor` on stores with defects. The tests of the engines cover real stores.
class DoctorCommandTest {
  private static final StoreCheck PASSED = StoreCheck.ok("it is a fine store");

  private final Kv healthyKv = new FakeKv(new FakeStoreClock());
  private Ticker ticker = new SystemTicker();

  @Test
  void healthyStore_isSafe() {
    String printed = doctor(_ -> engineOf(healthyKv, PASSED)).expectExit(0).out();
    assertTrue(printed.startsWith("nats://ann@h\n[ok]   it is a fine store\n"), printed);
    assertTrue(printed.contains("each of 100 races had one winner"), printed);
    assertFalse(printed.contains("secret"), printed);
  }

  @Test
  void engineWarning_exitsTwo() {
    CommandResult result =
        doctor(_ -> engineOf(healthyKv, StoreCheck.warn("unknown", "asking"))).expectExit(2);
    assertTrue(result.out().contains("[warn] unknown\n       Try: asking\n"));
  }

  @Test
  void storeThatLosesWrites_isUnsafe() {
    CommandResult result =
        doctor(_ -> engineOf(new UpdateLosingKv(healthyKv, new AtomicInteger()), PASSED))
            .expectExit(2);
    assertTrue(result.out().contains("[fail] compare-and-set is broken"));
  }

  @Test
  void slowStore_isNotCalledUnsafe() {
    ticker = new SlowTicker(new AtomicLong());
    String printed = doctor(_ -> engineOf(healthyKv, PASSED)).expectExit(2).out();
    assertTrue(printed.contains("[warn] answers a read in 2000.0 ms"), printed);
    assertTrue(printed.contains("races were answered in time"), printed);
    assertFalse(printed.contains("[fail]"), printed);
  }

  @Test
  void unreachableStore_isAnError() {
    CommandResult result =
        doctor(
                _ -> {
                  throw new StoreException("the store does not answer at h:4222");
                })
            .expectExit(1);
    assertTrue(result.err().startsWith("keyfleet: the store does not answer at h:4222\nTry: "));
  }

  @Test
  void storeThatRefusesLogin_isAnError() {
    CommandResult result =
        doctor(
                _ -> {
                  throw StoreRefusedException.noAccess(
                      "the password of ann is wrong", "another one");
                })
            .expectExit(1);
    assertEquals("keyfleet: the password of ann is wrong\nTry: another one\n", result.err());
  }

  @Test
  void unfitStore_isUnsafe() {
    CommandResult result =
        doctor(
                _ -> {
                  throw new StoreRefusedException("it is of version 2.9", "2.11 or newer");
                })
            .expectExit(2);
    assertTrue(result.out().contains("[fail] it is of version 2.9\n"));
  }

  @Test
  void json_isOneObject() {
    String printed = doctor(_ -> engineOf(healthyKv, PASSED), "-o", "json").expectExit(0).out();
    assertTrue(
        printed.startsWith(
            """
            {"store":"nats://ann@h","verdict":"ok","checks":[{"level":"ok",\
            "sentence":"it is a fine store","remedy":""},\
            """),
        printed);
  }

  private CommandResult doctor(Function<StoreUrl, Engine> openEngine, String... more) {
    ProviderContext runtime =
        new ProviderContext(
            Map.of("KEYFLEET_STORE", "nats://ann:secret@h"), new SecureRandom(), ticker);
    return CliFleet.run(
        console -> new CommandDispatcher(console, () -> runtime, openEngine, () -> CliFleet.ANNA),
        Output.PIPE,
        "",
        Stream.concat(Stream.of("doctor"), Stream.of(more)).toArray(String[]::new));
  }

  private static Engine engineOf(Kv kv, StoreCheck storeCheck) {
    return new Engine() {
      @Override
      public Kv kv() {
        return kv;
      }

      @Override
      public Records records(CollectionShape shape) {
        throw new AssertionError("doctor must not use the records");
      }

      @Override
      public List<StoreCheck> storeChecks() {
        return List.of(storeCheck);
      }

      @Override
      public void close() {}
    };
  }

  /// Acknowledges every tenth update without storing it.
  private record UpdateLosingKv(Kv inner, AtomicInteger updates) implements ForwardingKv {
    @Override
    public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
      boolean isCurrent =
          inner.get(bucket, key).filter(it -> it.revision().equals(expected)).isPresent();
      return isCurrent && updates.incrementAndGet() > 50 && updates.get() % 10 == 0
          ? new WriteResult.Written(expected)
          : inner.update(bucket, key, value, expected);
    }
  }

  private record SystemTicker() implements Ticker {
    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public void pause(Duration duration) {}
  }

  /// Each reading of the clock is two seconds later.
  private record SlowTicker(AtomicLong now) implements Ticker {
    @Override
    public long nanos() {
      return now.addAndGet(Duration.ofSeconds(2).toNanos());
    }

    @Override
    public void pause(Duration duration) {}
  }
}
