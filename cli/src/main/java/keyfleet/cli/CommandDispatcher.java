package keyfleet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.cli.audit.AuditListCommand;
import keyfleet.cli.audit.AuditVerifyCommand;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.config.ConfigLoader;
import keyfleet.cli.demo.DemoCommand;
import keyfleet.cli.demo.DemoShopCommand;
import keyfleet.cli.doctor.DoctorCommand;
import keyfleet.cli.kek.KekAnnounceCommand;
import keyfleet.cli.kek.KekGenerateCommand;
import keyfleet.cli.kek.KekInventoryCommand;
import keyfleet.cli.kek.KekListCommand;
import keyfleet.cli.kek.KekPkcs11InitCommand;
import keyfleet.cli.kek.KekRemoveCommand;
import keyfleet.cli.kek.KekRotateCommand;
import keyfleet.cli.kek.KekStatusCommand;
import keyfleet.cli.kek.KekVerifyCommand;
import keyfleet.cli.kek.KekWatchCommand;
import keyfleet.cli.kek.RotationControlCommand;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.process.KmsPluginCommand;
import keyfleet.cli.process.ServerCommand;
import keyfleet.cli.secret.SecretDeleteCommand;
import keyfleet.cli.secret.SecretGetCommand;
import keyfleet.cli.secret.SecretListCommand;
import keyfleet.cli.secret.SecretPutCommand;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.keyring.RotationJob;
import keyfleet.kms.PluginException;
import keyfleet.member.MemberException;
import keyfleet.providers.ProviderException;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.server.ListenAddressException;
import keyfleet.store.MalformedValueException;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/// All commands by their names, and the one place where failures become words.
public final class CommandDispatcher {
  private static final String CONFIG = "--config";
  private static final String VERSION = "--version";

  static {
    // Options are words and flags here. At every start picocli would look for two dozen other
    // types.
    System.setProperty("picocli.converters.excludes", "java.*");
  }

  private final Console console;
  private final ConfigLoader around;
  private final Map<String, Supplier<Command>> top = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> kek = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> secret = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> audit = new LinkedHashMap<>();

  public CommandDispatcher(
      Console console,
      Supplier<ProviderContext> process,
      Function<StoreUrl, Engine> engines,
      Supplier<Operator> operator) {
    this.console = console;
    this.around = new ConfigLoader(process);
    top.put("doctor", () -> new DoctorCommand(console, around, engines));
    kek.put("generate", () -> new KekGenerateCommand(console, around));
    kek.put("pkcs11-init", () -> new KekPkcs11InitCommand(console, around));
    CommandContext office = new CommandContext(console, around, around::config, engines, operator);
    top.put("demo", () -> new DemoCommand(office, System.getProperty("keyfleet.launcher", "")));
    top.put("demo-shop", () -> new DemoShopCommand(office));
    top.put("server", () -> new ServerCommand(office, version()));
    top.put("kms-plugin", () -> new KmsPluginCommand(office, version()));
    kek.put("announce", () -> new KekAnnounceCommand(office));
    kek.put("list", () -> new KekListCommand(office));
    kek.put("verify", () -> new KekVerifyCommand(office));
    kek.put("rotate", () -> new KekRotateCommand(office, RotationJob.Kind.ROTATION));
    kek.put("status", () -> new KekStatusCommand(office));
    kek.put("watch", () -> new KekWatchCommand(office));
    kek.put("pause", () -> new RotationControlCommand(office, RotationControlCommand.Action.PAUSE));
    kek.put(
        "resume", () -> new RotationControlCommand(office, RotationControlCommand.Action.RESUME));
    kek.put("abort", () -> new RotationControlCommand(office, RotationControlCommand.Action.ABORT));
    kek.put("remove", () -> new KekRemoveCommand(office));
    kek.put("revoke", () -> new KekRotateCommand(office, RotationJob.Kind.REVOCATION));
    kek.put("inventory", () -> new KekInventoryCommand(office));
    secret.put("put", () -> new SecretPutCommand(office));
    secret.put("get", () -> new SecretGetCommand(office));
    secret.put("list", () -> new SecretListCommand(office));
    secret.put("delete", () -> new SecretDeleteCommand(office));
    audit.put("verify", () -> new AuditVerifyCommand(office));
    audit.put("list", () -> new AuditListCommand(office));
  }

  /// Folders in which a configuration is looked for; none, unless set.
  CommandDispatcher lookingIn(List<Path> folders) {
    around.lookIn(folders);
    return this;
  }

  public int run(String... args) {
    try {
      return chosen(args);
    } catch (UnmatchedArgumentException e) {
      return unmatched(e);
    } catch (ParameterException e) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      return fail(lowerCase(String.valueOf(e.getMessage())), command + " --help");
    } catch (CommandException e) {
      console.complain(e.getMessage(), e.remedy());
      return e.exit();
    } catch (ProviderException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (MemberException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (StoreRefusedException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (StoreException e) {
      return fail(e.getMessage(), "keyfleet doctor, or the command again when the store answers");
    } catch (MalformedValueException e) {
      return fail(
          "what the store holds cannot be read: " + e.getMessage(),
          "the version of keyfleet that wrote it");
    } catch (PluginException e) {
      return fail(e.getMessage(), e.remedy());
    } catch (ListenAddressException e) {
      return fail(e.getMessage(), "--listen with a free port, or :0 for any");
    } catch (KekUnavailableException e) {
      return fail(e.getMessage(), "check the key provider, then run the command again");
    } catch (RuntimeException e) {
      return fail(bug(e), "report this line, with the command but without any secret");
    }
  }

  /// A command that is named in full comes alone; anything else gets the whole tree.
  private int chosen(String... args) {
    String first = args.length > 0 ? args[0] : "";
    if (args.length == 1 && first.equals(VERSION)) {
      return printVersion();
    }
    String second = args.length > 1 ? args[1] : "";
    Map<String, Supplier<Command>> group =
        switch (first) {
          case "kek" -> kek;
          case "secret" -> secret;
          case "audit" -> audit;
          default -> Map.of();
        };
    Supplier<Command> ofGroup = group.get(second);
    if (ofGroup != null) {
      return alone(ofGroup, first + " " + second, args);
    }
    Supplier<Command> ofTop = top.get(first);
    return ofTop == null ? run(tree(), args) : alone(ofTop, first, args);
  }

  private int alone(Supplier<Command> command, String name, String... args) {
    int words = name.contains(" ") ? 2 : 1;
    CommandSpec spec = spec(command.get()).name("keyfleet " + name);
    return run(spec, Arrays.copyOfRange(args, words, args.length));
  }

  /// What `--help`, `--version` and a mistyped name need. A command that is named in full does
  /// without: a model of all the others would take longer to build than most commands run.
  private CommandSpec tree() {
    CommandSpec keks = group("kek", "Hold, check, make and change key-encryption keys.");
    kek.forEach((name, command) -> keks.addSubcommand(name, spec(command.get())));
    CommandSpec secrets = group("secret", "Keep small values, sealed.");
    secret.forEach((name, command) -> secrets.addSubcommand(name, spec(command.get())));
    CommandSpec audits = group("audit", "Read and check what was done to a keyring, and by whom.");
    audit.forEach((name, command) -> audits.addSubcommand(name, spec(command.get())));
    CommandSpec root =
        group("keyfleet", "Changes the keys and the software of a running fleet.")
            .addOption(
                OptionSpec.builder("-V", VERSION)
                    .versionHelp(true)
                    .description("Print the version.")
                    .build())
            .addSubcommand("kek", keks)
            .addSubcommand("secret", secrets)
            .addSubcommand("audit", audits);
    top.forEach((name, command) -> root.addSubcommand(name, spec(command.get())));
    return root;
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
      return printVersion();
    }
    if (chosen.isUsageHelpRequested()) {
      spec.commandLine().usage(console.out(), Ansi.OFF);
      return ExitCode.OK;
    }
    if (spec.userObject() instanceof Command command) {
      around.name(chosen.<@Nullable String>matchedOptionValue(CONFIG, null));
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
    return ExitCode.ERROR;
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
    return command
        .spec()
        .addOption(
            OptionSpec.builder(CONFIG)
                .paramLabel("FILE")
                .type(String.class)
                .description(
                    "The configuration. Default: keyfleet.yaml here, else in /etc/keyfleet.")
                .build())
        .addOption(help());
  }

  private static OptionSpec help() {
    return OptionSpec.builder("-h", "--help")
        .usageHelp(true)
        .description("Show this help.")
        .build();
  }

  private int printVersion() {
    console.out().println("keyfleet " + version());
    return ExitCode.OK;
  }

  private static String version() {
    try (InputStream in = CommandDispatcher.class.getResourceAsStream("version.txt")) {
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
