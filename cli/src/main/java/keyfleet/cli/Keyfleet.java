package keyfleet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.ProviderException;
import keyfleet.providers.ProviderSpec.Surroundings;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// All commands by their names, and the one place where failures become words.
final class Keyfleet {
  private final Console console;
  private final Map<String, Supplier<Command>> kek = new LinkedHashMap<>();

  Keyfleet(Console console, Supplier<Surroundings> around) {
    this.console = console;
    kek.put("generate", () -> new KekGenerate(console, around));
    kek.put("pkcs11-init", () -> new KekPkcs11Init(console, around));
    kek.put("verify", () -> new KekVerify(console, around));
  }

  int run(String... args) {
    try {
      Supplier<Command> chosen = args.length > 1 && args[0].equals("kek") ? kek.get(args[1]) : null;
      return chosen == null
          ? run(tree(), args)
          : run(
              spec(chosen.get()).name("keyfleet kek " + args[1]),
              Arrays.copyOfRange(args, 2, args.length));
    } catch (UnmatchedArgumentException e) {
      return unmatched(e);
    } catch (ParameterException e) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      return fail(lowerCase(String.valueOf(e.getMessage())), command + " --help");
    } catch (CommandException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (ProviderException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (KekUnavailableException e) {
      return fail(e.getMessage(), "check the key provider, then run the command again");
    } catch (RuntimeException e) {
      return fail(bug(e), "report this line, with the command but without any secret");
    }
  }

  /// What `--help`, `--version` and a mistyped name need. A command that is named in full does
  /// without: a model of all the others would take longer to build than most commands run.
  private CommandSpec tree() {
    CommandSpec group = group("kek", "Hold, check and make key-encryption keys.");
    kek.forEach((name, command) -> group.addSubcommand(name, spec(command.get())));
    return group("keyfleet", "Changes the keys and the software of a running fleet.")
        .addOption(
            OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Print the version.")
                .build())
        .addSubcommand("kek", group);
  }

  private int run(CommandSpec root, String... args) {
    CommandLine line = new CommandLine(root).setExpandAtFiles(false);
    ParseResult chosen = line.parseArgs(args);
    while (chosen.hasSubcommand()) {
      chosen = chosen.subcommand();
    }
    CommandSpec spec = chosen.commandSpec();
    if (!chosen.unmatched().isEmpty()) { // which --help would forgive
      throw new UnmatchedArgumentException(spec.commandLine(), chosen.unmatched());
    }
    if (chosen.isVersionHelpRequested()) {
      console.out().println("keyfleet " + version());
      return Exit.OK;
    }
    if (chosen.isUsageHelpRequested()) {
      spec.commandLine().usage(console.out(), Ansi.OFF);
      return Exit.OK;
    }
    if (spec.userObject() instanceof Command command) {
      return command.run(chosen);
    }
    spec.commandLine().usage(console.err(), Ansi.OFF);
    return fail(spec.qualifiedName() + " needs a command", spec.qualifiedName() + " --help");
  }

  private int unmatched(UnmatchedArgumentException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    List<String> meant = e.getSuggestions();
    return fail(
        command + " does not know " + e.getUnmatched().getFirst(),
        command + " " + (meant.isEmpty() ? "--help" : meant.getFirst()));
  }

  private int fail(String sentence, String remedy) {
    console.complain(sentence, remedy);
    return Exit.ERROR;
  }

  /// A fault of ours: its kind and place, without its message, which might quote what it choked on.
  private static String bug(RuntimeException e) {
    StackTraceElement[] trace = e.getStackTrace();
    return "this is a bug: %s at %s"
        .formatted(e.getClass().getSimpleName(), trace.length == 0 ? "an unknown place" : trace[0]);
  }

  private static CommandSpec group(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name).addOption(help());
    spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
    return spec;
  }

  private static CommandSpec spec(Command command) {
    return command.spec().addOption(help());
  }

  private static OptionSpec help() {
    return OptionSpec.builder("-h", "--help")
        .usageHelp(true)
        .description("Show this help.")
        .build();
  }

  private static String version() {
    try (InputStream in = Keyfleet.class.getResourceAsStream("version.txt")) {
      if (in == null) {
        throw new IllegalStateException("version.txt is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String lowerCase(String message) {
    return Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }
}
