package keyfleet.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import keyfleet.cli.command.Operator;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.Console.Output;
import keyfleet.cli.output.HiddenInput;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rotation.CollectionCatalog;
import keyfleet.control.rotation.KeyringStore;
import keyfleet.control.rotation.RotationLoop;
import keyfleet.control.rotation.RotationLoop.NextTick;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.member.LocalProcess;
import keyfleet.member.heartbeat.Membership;
import keyfleet.member.heartbeat.ProcessIdentity;
import keyfleet.member.keys.LoadedKeys;
import keyfleet.providers.ProviderSpec;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;

/// A fleet in the test process, and an operator who runs commands on it. While a command waits, the
/// workers of the fleet run.
public final class CliFleet implements Ticker, AutoCloseable {
  /// The exit code and output of a command.
  public record CommandResult(int exitCode, String out, String err) {
    public CommandResult expectExit(int expected) {
      assertEquals(expected, exitCode, () -> "exit code of " + this);
      return this;
    }

    /// The standard error begins with this text.
    public void expectErrorStart(String start) {
      assertTrue(err.startsWith(start), this::toString);
    }

    /// The standard error contains this text.
    public void expectErrorPart(String part) {
      assertTrue(err.contains(part), this::toString);
    }
  }

  public static final Operator ANNA =
      new Operator(
          "anna",
          new LocalProcess("desk-7", 42, Instant.EPOCH),
          InstantSource.fixed(Instant.parse("2026-11-17T22:00:00Z")));

  private static final String TRY = "Try: ";
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int MAX_BATCHES = 200;

  /// The environment variables of the operator.
  public final Map<String, String> environment = new HashMap<>();

  /// The user who runs the commands.
  Operator operator = ANNA;

  public Function<StoreUrl, Engine> openEngine;
  public Output output = Output.PIPE;

  /// What the operator types where the terminal shows nothing.
  public HiddenInput hiddenInput = HiddenInput.NONE;

  private final TestBackend backend;
  private final Map<String, FleetProcess> processes = new LinkedHashMap<>();
  private final Map<Integer, Runnable> pauseEvents = new HashMap<>();
  private boolean isHalted;
  private int pauses;
  private int nonces;

  public CliFleet(TestBackend backend) {
    this.backend = backend;
    this.openEngine = _ -> backend.open();
    environment.put("KEYFLEET_STORE", backend.url());
    environment.putAll(backend.timings());
    addKeys(environment, 1);
  }

  private final class FleetProcess {
    private final Engine engine = backend.open();
    private final Membership membership;
    private final RotationLoop loop;
    private final boolean isWorker;

    FleetProcess(ProcessInfo processInfo, Map<String, String> variables, String provider) {
      ProviderContext runtime = new ProviderContext(variables, RANDOM, CliFleet.this);
      LoadedKeys keys =
          new LoadedKeys(
              KeyringName.MAIN,
              List.of(ProviderSpec.parse(provider).open(KeyringName.MAIN, runtime)),
              RANDOM);
      keys.refresh();
      membership =
          new Membership(
              new ProcessIdentity(processInfo, ProcessIdentity.PROTOCOL, null),
              new Membership.StoreAccess(engine.kv(), CliFleet.this::nonce),
              keys,
              Map::of,
              CliFleet.this::nanos);
      KeyringStore keyringStore =
          new KeyringStore(KeyringName.MAIN, engine.kv(), CliFleet.this::nonce, Failpoints.NONE);
      CollectionCatalog collectionCatalog =
          new CollectionCatalog(
              keyringStore,
              it -> Optional.of(engine.records(StoreConnections.toShape(it))),
              Failpoints.NONE);
      isWorker = processInfo.role().equals("worker");
      loop =
          new RotationLoop(
              processInfo.run(), keyringStore, collectionCatalog, keys, CliFleet.this::nanos);
    }
  }

  /// Starts a process with these versions in its environment. A running one of that name is stopped
  /// first.
  public void start(String name, String role, int... versions) {
    start(new Host(name, 1000 + name.length(), "", Instant.EPOCH), role, "env", versions);
  }

  public void start(Host host, String role, String provider, int... versions) {
    Map<String, String> variables = new HashMap<>();
    addKeys(variables, versions);
    start(host, role, provider, variables);
  }

  /// Starts a process with these keys as versions 1, 2…
  public void startWith(String name, String... keys) {
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < keys.length; i++) {
      variables.put("KEYFLEET_KEK_V" + (i + 1), keys[i]);
    }
    start(new Host(name, 7, "", Instant.EPOCH), "api", "env", variables);
  }

  private void start(Host host, String role, String provider, Map<String, String> variables) {
    String instance = host.pod().isEmpty() ? host.name() : host.pod();
    stop(instance);
    ProcessInfo processInfo = new ProcessInfo(instance, "run-" + nonce(), role, "0.1.0", host);
    FleetProcess process = new FleetProcess(processInfo, variables, provider);
    processes.put(instance, process);
    process.membership.runRound();
    process.membership.runRound();
  }

  public void stop(String name) {
    @Nullable FleetProcess process = processes.remove(name);
    if (process != null) {
      process.membership.leave();
      process.engine.close();
    }
  }

  /// Kills the process; its last heartbeat stays in the store.
  public void kill(String name) {
    @Nullable FleetProcess process = processes.remove(name);
    if (process != null) {
      process.engine.close();
    }
  }

  public void addKeys(int... versions) {
    addKeys(environment, versions);
  }

  private static void addKeys(Map<String, String> variables, int... versions) {
    for (int version : versions) {
      variables.put("KEYFLEET_KEK_V" + version, key(version));
    }
  }

  public static String key(int version) {
    return ("%02x".formatted(version) + "c0ffee0a").repeat(7).substring(0, 64);
  }

  /// From now on workers write heartbeats but drive no rotation.
  public void haltWorkers() {
    isHalted = true;
  }

  public void resumeWorkers() {
    isHalted = false;
  }

  public void writeHeartbeats() {
    processes.values().forEach(it -> it.membership.runRound());
  }

  public CommandResult run(String... args) {
    return runWith("", args);
  }

  /// Runs a command of several words with more arguments.
  public CommandResult runLine(String command, String... more) {
    return run(
        Stream.concat(Stream.of(command.split(" ")), Stream.of(more)).toArray(String[]::new));
  }

  /// Announces these versions, which must succeed.
  public void announce(int... versions) {
    for (int version : versions) {
      run("kek", "announce", "--version=" + version).expectExit(0);
    }
  }

  public CommandResult runWith(String input, String... args) {
    ProviderContext runtime = new ProviderContext(Map.copyOf(environment), RANDOM, this);
    return run(
        console -> {
          console.useHiddenInput(hiddenInput);
          return new CommandDispatcher(console, () -> runtime, openEngine, () -> operator);
        },
        output,
        input,
        args);
  }

  /// Runs a command without a fleet, and catches what it prints.
  public static CommandResult run(
      Function<Console, CommandDispatcher> dispatcher,
      Output output,
      String input,
      String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new ByteArrayInputStream(input.getBytes(UTF_8)),
            out,
            new PrintStream(err, true, UTF_8),
            UTF_8,
            output);
    CommandDispatcher ready = dispatcher.apply(console);
    int exit = ready.run(args);
    CommandResult result = new CommandResult(exit, out.toString(UTF_8), err.toString(UTF_8));
    assertRemediesParse(ready, result);
    return result;
  }

  /// Every `Try:` line that begins like a command can be pasted.
  private static void assertRemediesParse(CommandDispatcher dispatcher, CommandResult result) {
    result
        .err()
        .lines()
        .filter(it -> it.startsWith(TRY + "keyfleet "))
        .map(it -> it.substring(TRY.length() + "keyfleet ".length()))
        .forEach(it ->
            assertTrue(
                dispatcher.canParse(RemedyCompleter.splitWords(it)),
                () -> "this remedy does not parse: " + result));
  }

  @Override
  public long nanos() {
    return backend.nanos();
  }

  /// Runs an event at the nth pause of a command.
  public void onPause(int nth, Runnable event) {
    pauseEvents.put(pauses + nth, event);
  }

  @Override
  public void pause(Duration duration) {
    backend.advance(duration);
    Runnable event = pauseEvents.remove(++pauses);
    if (event != null) {
      event.run();
    }
    writeHeartbeats();
    if (!isHalted) {
      processes.values().stream().filter(it -> it.isWorker).forEach(this::drive);
    }
  }

  private void drive(FleetProcess process) {
    for (int i = 0; i < MAX_BATCHES && process.loop.tick() == NextTick.IMMEDIATELY; i++) {
      process.membership.runRound();
    }
  }

  private String nonce() {
    return "n-" + nonces++;
  }

  @Override
  public void close() {
    List.copyOf(processes.keySet()).forEach(this::kill);
  }
}
