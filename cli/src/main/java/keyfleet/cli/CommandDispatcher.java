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
import keyfleet.crypto.KeyfleetException;
import keyfleet.keyring.RotationJob;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.store.MalformedValueException;
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

/// Finds the command that the arguments name, runs it, and turns failures into a message and a
/// `Try:` line.
public final class CommandDispatcher {
  private static final String CONFIG = "--config";
  private static final String VERSION = "--version";

  static {
    // Our options are text and flags. Without this picocli looks for converters of two dozen other
    // types at every start.
    System.setProperty("picocli.converters.excludes", "java.*");
  }

  private final Console console;
  private final ConfigLoader configLoader;
  private final Map<String, Supplier<Command>> topLevelCommands = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> kekCommands = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> secretCommands = new LinkedHashMap<>();
  private final Map<String, Supplier<Command>> auditCommands = new LinkedHashMap<>();

  public CommandDispatcher(
      Console console,
      Supplier<ProviderContext> baseRuntime,
      Function<StoreUrl, Engine> openEngine,
      Supplier<Operator> operator) {
    this.console = console;
    this.configLoader = new ConfigLoader(baseRuntime);
    topLevelCommands.put("doctor", () -> new DoctorCommand(console, configLoader, openEngine));
    kekCommands.put("generate", () -> new KekGenerateCommand(console, configLoader));
    kekCommands.put("pkcs11-init", () -> new KekPkcs11InitCommand(console, configLoader));
    CommandContext context =
        new CommandContext(console, configLoader, configLoader::config, openEngine, operator);
    topLevelCommands.put(
        "demo", () -> new DemoCommand(context, System.getProperty("keyfleet.launcher", "")));
    topLevelCommands.put("demo-shop", () -> new DemoShopCommand(context));
    topLevelCommands.put("server", () -> new ServerCommand(context, readVersion()));
    topLevelCommands.put("kms-plugin", () -> new KmsPluginCommand(context, readVersion()));
    kekCommands.put("announce", () -> new KekAnnounceCommand(context));
    kekCommands.put("list", () -> new KekListCommand(context));
    kekCommands.put("verify", () -> new KekVerifyCommand(context));
    kekCommands.put("rotate", () -> new KekRotateCommand(context, RotationJob.Kind.ROTATION));
    kekCommands.put("status", () -> new KekStatusCommand(context));
    kekCommands.put("watch", () -> new KekWatchCommand(context));
    kekCommands.put(
        "pause", () -> new RotationControlCommand(context, RotationControlCommand.Action.PAUSE));
    kekCommands.put(
        "resume", () -> new RotationControlCommand(context, RotationControlCommand.Action.RESUME));
    kekCommands.put(
        "abort", () -> new RotationControlCommand(context, RotationControlCommand.Action.ABORT));
    kekCommands.put("remove", () -> new KekRemoveCommand(context));
    kekCommands.put("revoke", () -> new KekRotateCommand(context, RotationJob.Kind.REVOCATION));
    kekCommands.put("inventory", () -> new KekInventoryCommand(context));
    secretCommands.put("put", () -> new SecretPutCommand(context));
    secretCommands.put("get", () -> new SecretGetCommand(context));
    secretCommands.put("list", () -> new SecretListCommand(context));
    secretCommands.put("delete", () -> new SecretDeleteCommand(context));
    auditCommands.put("verify", () -> new AuditVerifyCommand(context));
    auditCommands.put("list", () -> new AuditListCommand(context));
  }

  /// Sets the folders to search for `keyfleet.yaml`. Without this call no folder is searched.
  CommandDispatcher searchConfigIn(List<Path> folders) {
    configLoader.searchIn(folders);
    return this;
  }

  public int run(String... args) {
    try {
      return dispatch(args);
    } catch (UnmatchedArgumentException e) {
      return reportUnmatched(e);
    } catch (ParameterException e) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      return reportFailure(lowerCaseFirst(String.valueOf(e.getMessage())), command + " --help");
    } catch (CommandException e) {
      console.printError(e.getMessage(), e.remedy());
      return e.exitCode();
    } catch (MalformedValueException e) {
      return reportFailure("data in the store cannot be read: " + e.getMessage(), e.remedy());
    } catch (KeyfleetException e) {
      return reportFailure(e.getMessage(), e.remedy());
    } catch (RuntimeException e) {
      return reportFailure(
          describeBug(e), "report this line with the command, but leave out every secret");
    }
  }

  /// If the arguments name a command in full, builds only that command; otherwise the whole tree.
  private int dispatch(String... args) {
    String first = args.length > 0 ? args[0] : "";
    if (args.length == 1 && first.equals(VERSION)) {
      return printVersion();
    }
    String second = args.length > 1 ? args[1] : "";
    Map<String, Supplier<Command>> group =
        switch (first) {
          case "kek" -> kekCommands;
          case "secret" -> secretCommands;
          case "audit" -> auditCommands;
          default -> Map.of();
        };
    Supplier<Command> groupCommand = group.get(second);
    if (groupCommand != null) {
      return runAlone(groupCommand, first + " " + second, args);
    }
    Supplier<Command> topLevelCommand = topLevelCommands.get(first);
    return topLevelCommand == null
        ? run(buildTree(), args)
        : runAlone(topLevelCommand, first, args);
  }

  private int runAlone(Supplier<Command> command, String name, String... args) {
    int nameLength = name.contains(" ") ? 2 : 1;
    CommandSpec spec = commandSpec(command.get()).name("keyfleet " + name);
    return run(spec, Arrays.copyOfRange(args, nameLength, args.length));
  }

  /// Builds all commands, for `--help`, `--version` and mistyped names. This takes longer than most
  /// commands run, so [#dispatch] avoids it where it can.
  private CommandSpec buildTree() {
    CommandSpec kekSpec =
        groupSpec("kek", "Manages key-encryption keys: create, verify, rotate, remove.");
    kekCommands.forEach((name, command) -> kekSpec.addSubcommand(name, commandSpec(command.get())));
    CommandSpec secretSpec = groupSpec("secret", "Stores and reads small sealed values.");
    secretCommands.forEach(
        (name, command) -> secretSpec.addSubcommand(name, commandSpec(command.get())));
    CommandSpec auditSpec = groupSpec("audit", "Lists and verifies the audit of a keyring.");
    auditCommands.forEach(
        (name, command) -> auditSpec.addSubcommand(name, commandSpec(command.get())));
    CommandSpec root =
        groupSpec("keyfleet", "Changes the keys and the software of a running fleet.")
            .addOption(
                OptionSpec.builder("-V", VERSION)
                    .versionHelp(true)
                    .description("Print the version.")
                    .build())
            .addSubcommand("kek", kekSpec)
            .addSubcommand("secret", secretSpec)
            .addSubcommand("audit", auditSpec);
    topLevelCommands.forEach(
        (name, command) -> root.addSubcommand(name, commandSpec(command.get())));
    return root;
  }

  private int run(CommandSpec root, String... args) {
    CommandLine commandLine = new CommandLine(root).setExpandAtFiles(false);
    ParseResult parsed = commandLine.parseArgs(args);
    while (parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    CommandSpec spec = parsed.commandSpec();
    if (!parsed.unmatched().isEmpty()) { // with --help, picocli accepts unknown arguments
      throw new UnmatchedArgumentException(spec.commandLine(), parsed.unmatched());
    }
    if (parsed.isVersionHelpRequested()) {
      return printVersion();
    }
    if (parsed.isUsageHelpRequested()) {
      spec.commandLine().usage(console.out(), Ansi.OFF);
      return ExitCode.OK;
    }
    if (spec.userObject() instanceof Command command) {
      configLoader.useFile(parsed.<@Nullable String>matchedOptionValue(CONFIG, null));
      return command.run(parsed);
    }
    spec.commandLine().usage(console.err(), Ansi.OFF);
    return reportFailure(
        spec.qualifiedName() + " needs a command", spec.qualifiedName() + " --help");
  }

  private int reportUnmatched(UnmatchedArgumentException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    List<String> suggestions = e.getSuggestions();
    return reportFailure(
        "unknown argument " + e.getUnmatched().getFirst() + " for " + command,
        command + " " + (suggestions.isEmpty() ? "--help" : suggestions.getFirst()));
  }

  private int reportFailure(String message, String remedy) {
    console.printError(message, remedy);
    return ExitCode.ERROR;
  }

  /// Names the exception and the line that threw it, but not its message, which may quote a secret.
  private static String describeBug(RuntimeException e) {
    StackTraceElement[] trace = e.getStackTrace();
    return "this is a bug: %s at %s"
        .formatted(e.getClass().getSimpleName(), trace.length == 0 ? "an unknown line" : trace[0]);
  }

  private static CommandSpec groupSpec(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name).addOption(helpOption());
    spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
    return spec;
  }

  private static CommandSpec commandSpec(Command command) {
    return command
        .spec()
        .addOption(
            OptionSpec.builder(CONFIG)
                .paramLabel("FILE")
                .type(String.class)
                .description(
                    "The configuration file. Default: keyfleet.yaml here, else in /etc/keyfleet.")
                .build())
        .addOption(helpOption());
  }

  private static OptionSpec helpOption() {
    return OptionSpec.builder("-h", "--help")
        .usageHelp(true)
        .description("Show this help.")
        .build();
  }

  private int printVersion() {
    console.out().println("keyfleet " + readVersion());
    return ExitCode.OK;
  }

  private static String readVersion() {
    try (InputStream in = CommandDispatcher.class.getResourceAsStream("version.txt")) {
      if (in == null) {
        throw new IllegalStateException("version.txt is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String lowerCaseFirst(String message) {
    return Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }
}
