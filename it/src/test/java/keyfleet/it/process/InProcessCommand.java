package keyfleet.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import keyfleet.cli.CommandDispatcher;
import keyfleet.cli.command.Operator;
import keyfleet.cli.config.EngineFactory;
import keyfleet.cli.output.Console;
import keyfleet.member.LocalProcess;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.SystemTicker;

/// A command that ran in the test's process, with its own connections to the store.
public record InProcessCommand(int exitCode, String out, String err) {
  private static final String INPUT = "a value";

  public static InProcessCommand run(Map<String, String> environment, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Console console =
        new Console(
            new ByteArrayInputStream(INPUT.getBytes(UTF_8)),
            out,
            new PrintStream(err, true, UTF_8),
            UTF_8,
            Console.Output.PIPE);
    ProviderContext runtime =
        new ProviderContext(environment, new SecureRandom(), new SystemTicker());
    Operator operator = new Operator("it", LocalProcess.current(), InstantSource.system());
    int exit =
        new CommandDispatcher(console, () -> runtime, EngineFactory::open, () -> operator)
            .run(args);
    return new InProcessCommand(exit, out.toString(UTF_8), err.toString(UTF_8));
  }

  public InProcessCommand expectExit(int expected) {
    assertEquals(expected, exitCode, this::toString);
    return this;
  }

  public void expectErrorPart(String part) {
    assertTrue(err.contains(part), this::toString);
  }
}
