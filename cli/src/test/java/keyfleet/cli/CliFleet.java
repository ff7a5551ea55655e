package keyfleet.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.util.TreeSet;
import java.util.function.Function;
import keyfleet.cli.command.Operator;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.Console.Output;
import keyfleet.control.Failpoints;
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
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;

/// A fleet, and an operator who gives commands to it. When a command waits, the fleet goes on.
public final class CliFleet implements Ticker, AutoCloseable {
  /// What came back from a command.
  public record CommandResult(int exit, String out, String err) {
    public CommandResult exits(int expected) {
      assertEquals(expected, exit, () -> "exit code of " + this);
      return this;
    }
  }

  public static final Operator ANNA =
      new Operator(
          "anna",
          new LocalProcess("desk-7", 42, Instant.EPOCH),
          InstantSource.fixed(Instant.parse("2026-11-17T22:00:00Z")));

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int MOST_UNITS = 200;

  /// Variables of the operator's shell.
  public final Map<String, String> environment = new HashMap<>();

  /// Who gives the commands.
  Operator operator = ANNA;

  public Function<StoreUrl, Engine> engines;
  public Output output = Output.PIPE;

  private final TestBackend world;
  private final Map<String, FleetProcess> peers = new LinkedHashMap<>();
  private final Map<Integer, Runnable> events = new HashMap<>();
  private boolean halted;
  private int pauses;
  private int nonces;

  public CliFleet(TestBackend world) {
    this.world = world;
    this.engines = _ -> world.open();
    environment.put("KEYFLEET_STORE", world.url());
    environment.putAll(world.timings());
    give(environment, 1);
  }

  /// One process of the fleet.
  private final class FleetProcess {
    private final Engine engine = world.open();
    private final Membership membership;
    private final RotationLoop loop;
    private final boolean isWorker;

    FleetProcess(ProcessInfo processInfo, Map<String, String> variables, String provider) {
      ProviderContext around = new ProviderContext(variables, RANDOM, CliFleet.this);
      LoadedKeys keys =
          new LoadedKeys(
              KeyringName.MAIN,
              List.of(ProviderSpec.parse(provider).open(KeyringName.MAIN, around)),
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
              it ->
                  Optional.of(
                      engine.records(
                          new CollectionShape(
                              it.collection(), it.idField(), new TreeSet<>(it.sealedFields())))),
              Failpoints.NONE);
      isWorker = processInfo.role().equals("worker");
      loop =
          new RotationLoop(
              processInfo.run(), keyringStore, collectionCatalog, keys, CliFleet.this::nanos);
    }
  }

  /// Starts a process with these versions in its environment; one of that name stops first.
  public void start(String name, String role, int... versions) {
    start(new Host(name, 1000 + name.length(), "", Instant.EPOCH), role, "env", versions);
  }

  public void start(Host host, String role, String provider, int... versions) {
    Map<String, String> variables = new HashMap<>();
    give(variables, versions);
    start(host, role, provider, variables);
  }

  /// With these keys as versions 1, 2…
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
    FleetProcess peer = new FleetProcess(processInfo, variables, provider);
    peers.put(instance, peer);
    peer.membership.runRound();
    peer.membership.runRound();
  }

  public void stop(String name) {
    @Nullable FleetProcess peer = peers.remove(name);
    if (peer != null) {
      peer.membership.leave();
      peer.engine.close();
    }
  }

  /// It says nothing from here on, and leaves its heartbeat behind.
  public void kill(String name) {
    @Nullable FleetProcess peer = peers.remove(name);
    if (peer != null) {
      peer.engine.close();
    }
  }

  public void give(int... versions) {
    give(environment, versions);
  }

  private static void give(Map<String, String> variables, int... versions) {
    for (int version : versions) {
      variables.put("KEYFLEET_KEK_V" + version, key(version));
    }
  }

  public static String key(int version) {
    return ("%02x".formatted(version) + "c0ffee0a").repeat(7).substring(0, 64);
  }

  /// Workers beat, and drive nothing.
  public void halt() {
    halted = true;
  }

  public void goOn() {
    halted = false;
  }

  public void beat() {
    peers.values().forEach(it -> it.membership.runRound());
  }

  public CommandResult run(String... args) {
    return runWith("", args);
  }

  public CommandResult runWith(String input, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new ByteArrayInputStream(input.getBytes(UTF_8)),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            output);
    ProviderContext around = new ProviderContext(Map.copyOf(environment), RANDOM, this);
    int exit = new CommandDispatcher(console, () -> around, engines, () -> operator).run(args);
    return new CommandResult(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  @Override
  public long nanos() {
    return world.nanos();
  }

  /// Does something at the nth pause of a command.
  public void during(int nth, Runnable event) {
    events.put(pauses + nth, event);
  }

  @Override
  public void pause(Duration duration) {
    world.pass(duration);
    Runnable event = events.remove(++pauses);
    if (event != null) {
      event.run();
    }
    beat();
    if (!halted) {
      peers.values().stream().filter(it -> it.isWorker).forEach(this::drive);
    }
  }

  private void drive(FleetProcess peer) {
    for (int i = 0; i < MOST_UNITS && peer.loop.tick() == NextTick.IMMEDIATELY; i++) {
      peer.membership.runRound();
    }
  }

  private String nonce() {
    return "n-" + nonces++;
  }

  @Override
  public void close() {
    List.copyOf(peers.keySet()).forEach(this::kill);
  }
}
