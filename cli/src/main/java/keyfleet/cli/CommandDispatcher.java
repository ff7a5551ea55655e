package keyfleet.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.cli.audit.AuditExportCommand;
import keyfleet.cli.audit.AuditListCommand;
import keyfleet.cli.audit.AuditVerifyCommand;
import keyfleet.cli.backup.BackupCommand;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.Operator;
import keyfleet.cli.config.ConfigLoader;
import keyfleet.cli.demo.DemoCommand;
import keyfleet.cli.demo.DemoShopCommand;
import keyfleet.cli.doctor.DoctorCommand;
import keyfleet.cli.kek.KekAnnounceCommand;
import keyfleet.cli.kek.KekAttestCommand;
import keyfleet.cli.kek.KekForgetCommand;
import keyfleet.cli.kek.KekGenerateCommand;
import keyfleet.cli.kek.KekHoldCommand;
import keyfleet.cli.kek.KekInventoryCommand;
import keyfleet.cli.kek.KekListCommand;
import keyfleet.cli.kek.KekPkcs11InitCommand;
import keyfleet.cli.kek.KekRateCommand;
import keyfleet.cli.kek.KekRemoveCommand;
import keyfleet.cli.kek.KekRotateCommand;
import keyfleet.cli.kek.KekStatusCommand;
import keyfleet.cli.kek.KekVerifyCommand;
import keyfleet.cli.kek.KekWatchCommand;
import keyfleet.cli.kek.KekWithdrawCommand;
import keyfleet.cli.kek.RotationControlCommand;
import keyfleet.cli.kek.RotationControlCommand.Action;
import keyfleet.cli.keyring.CollectionListCommand;
import keyfleet.cli.keyring.CollectionUnregisterCommand;
import keyfleet.cli.keyring.KeyringListCommand;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFailedException;
import keyfleet.cli.output.OutputFormat;
import keyfleet.cli.process.KmsPluginCommand;
import keyfleet.cli.process.ServerCommand;
import keyfleet.cli.secret.SecretDeleteCommand;
import keyfleet.cli.secret.SecretGetCommand;
import keyfleet.cli.secret.SecretImportCommand;
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
  private boolean isJson;

  /// The commands by the words of their name, in the order of the help.
  private final Map<List<String>, Supplier<Command>> commands = new LinkedHashMap<>();

  public CommandDispatcher(
      Console console,
      Supplier<ProviderContext> baseRuntime,
      Function<StoreUrl, Engine> openEngine,
      Supplier<Operator> operator) {
    this.console = console;
    this.configLoader = new ConfigLoader(baseRuntime);
    CommandContext context =
        new CommandContext(console, configLoader, configLoader::config, openEngine, operator);
    add(() -> new KekGenerateCommand(console, configLoader), "kek", "generate");
    add(() -> new KekPkcs11InitCommand(console, configLoader), "kek", "pkcs11-init");
    add(() -> new KekAnnounceCommand(context), "kek", "announce");
    add(() -> new KekListCommand(context), "kek", "list");
    add(() -> new KekVerifyCommand(context), "kek", "verify");
    add(() -> new KekRotateCommand(context, RotationJob.Kind.ROTATION), "kek", "rotate");
    add(() -> new KekStatusCommand(context), "kek", "status");
    add(() -> new KekWatchCommand(context), "kek", "watch");
    add(() -> new RotationControlCommand(context, Action.PAUSE), "kek", "pause");
    add(() -> new RotationControlCommand(context, Action.RESUME), "kek", "resume");
    add(() -> new RotationControlCommand(context, Action.ABORT), "kek", "abort");
    add(() -> new KekRateCommand(context), "kek", "rate");
    add(() -> new KekRemoveCommand(context), "kek", "remove");
    add(() -> new KekRotateCommand(context, RotationJob.Kind.REVOCATION), "kek", "revoke");
    add(() -> new KekInventoryCommand(context), "kek", "inventory");
    add(() -> new KekWithdrawCommand(context), "kek", "withdraw");
    add(() -> new KekForgetCommand(context), "kek", "forget");
    add(() -> new KekAttestCommand(context), "kek", "attest");
    add(() -> new KekHoldCommand(context), "kek", "hold");
    add(() -> new KeyringListCommand(context), "keyring", "list");
    add(() -> new CollectionListCommand(context), "collection", "list");
    add(() -> new CollectionUnregisterCommand(context), "collection", "unregister");
    add(() -> new SecretPutCommand(context), "secret", "put");
    add(() -> new SecretGetCommand(context), "secret", "get");
    add(() -> new SecretListCommand(context), "secret", "list");
    add(() -> new SecretImportCommand(context), "secret", "import");
    add(() -> new SecretDeleteCommand(context), "secret", "delete");
    add(() -> new AuditVerifyCommand(context), "audit", "verify");
    add(() -> new AuditListCommand(context), "audit", "list");
    add(() -> new AuditExportCommand(context), "audit", "export");
    add(() -> new DoctorCommand(context), "doctor");
    add(() -> new BackupCommand(context), "backup");
    // The demonstration reads no configuration of the folder that it is started in.
    CommandContext demoContext =
        new CommandContext(console, baseRuntime, configLoader::config, openEngine, operator);
    add(() -> new DemoCommand(demoContext, System.getProperty("keyfleet.launcher", "")), "demo");
    add(() -> new DemoShopCommand(context), "demo-shop");
    add(() -> new ServerCommand(context, readVersion()), "server");
    add(() -> new KmsPluginCommand(context, readVersion()), "kms-plugin");
  }

  private void add(Supplier<Command> command, String... name) {
    commands.put(List.of(name), command);
  }

  /// Sets the folders to search for `keyfleet.yaml`. Without this call no folder is searched.
  CommandDispatcher searchConfigIn(List<Path> folders) {
    configLoader.searchIn(folders);
    return this;
  }

  /// Runs a command, and returns its exit code. Output that cannot be written is an error of every
  /// command; the reader of a pipe may end early without a word, as with `| head -1`.
  public int run(String... args) {
    console.completeRemedies(new RemedyCompleter(List.of(args), finder()));
    isJson = OutputFormat.isJson(args);
    try {
      int code = execute(args);
      console.out().flush();
      return code;
    } catch (OutputFailedException e) {
      return console.output() == Console.Output.PIPE
          ? ExitCode.READER_GONE
          : reportUnwritable(e.getMessage(), "write to a place that has room, and run it again");
    }
  }

  private int reportUnwritable(String message, String remedy) {
    console.printError(message, remedy);
    return ExitCode.ERROR;
  }

  private int execute(String... args) {
    try {
      return dispatch(args);
    } catch (OutputFailedException e) {
      throw e;
    } catch (UnmatchedArgumentException e) {
      return reportUnmatched(e, args);
    } catch (ParameterException e) {
      String command = e.getCommandLine().getCommandSpec().qualifiedName();
      return reportFailure(lowerCaseFirst(String.valueOf(e.getMessage())), command + " --help");
    } catch (CommandException e) {
      return reportFailure(e.exitCode(), e.getMessage(), e.remedy());
    } catch (MalformedValueException e) {
      return reportFailure("data in the store cannot be read: " + e.getMessage(), e.remedy());
    } catch (KeyfleetException e) {
      return reportFailure(e.getMessage(), e.remedy());
    } catch (RuntimeException e) {
      return reportFailure(
          describeBug(e), "report this line with the command, but leave out every secret");
    }
  }

  private RemedyCompleter.CommandFinder finder() {
    return new RemedyCompleter.CommandFinder() {
      @Override
      public CommandSpec require(List<String> arguments) {
        return commandSpec(findCommand(arguments).orElseThrow().getValue().get());
      }

      @Override
      public boolean canParse(List<String> arguments) {
        return CommandDispatcher.this.canParse(arguments);
      }
    };
  }

  /// Whether these arguments are a command that this program accepts.
  boolean canParse(List<String> arguments) {
    Optional<Map.Entry<List<String>, Supplier<Command>>> found = findCommand(arguments);
    CommandSpec spec = found.isPresent() ? commandSpec(found.get().getValue().get()) : buildTree();
    int words = found.isPresent() ? found.get().getKey().size() : 0;
    try {
      ParseResult parsed =
          new CommandLine(spec)
              .setExpandAtFiles(false)
              .parseArgs(arguments.subList(words, arguments.size()).toArray(String[]::new));
      while (parsed.hasSubcommand()) {
        parsed = parsed.subcommand();
      }
      return parsed.unmatched().isEmpty()
          && (found.isPresent()
              || parsed.isUsageHelpRequested()
              || parsed.isVersionHelpRequested());
    } catch (ParameterException e) {
      return false;
    }
  }

  private Optional<Map.Entry<List<String>, Supplier<Command>>> findCommand(List<String> arguments) {
    return commands.entrySet().stream()
        .filter(it ->
            arguments.size() >= it.getKey().size()
                && arguments.subList(0, it.getKey().size()).equals(it.getKey()))
        .findFirst();
  }

  /// If the arguments name a command in full, builds only that command; otherwise the whole tree.
  private int dispatch(String... args) {
    if (args.length == 1 && args[0].equals(VERSION)) {
      return printVersion();
    }
    for (int length = 1; length <= Math.min(args.length, 2); length++) {
      List<String> name = List.of(args).subList(0, length);
      Supplier<Command> command = commands.get(name);
      if (command != null) {
        CommandSpec spec = commandSpec(command.get()).name("keyfleet " + String.join(" ", name));
        return run(spec, Arrays.copyOfRange(args, length, args.length));
      }
    }
    return run(buildTree(), args);
  }

  /// Builds all commands, for `--help`, `--version` and mistyped names. This takes longer than most
  /// commands run, so [#dispatch] avoids it where it can.
  private CommandSpec buildTree() {
    CommandSpec root =
        groupSpec("keyfleet", "Changes the keys and the software of a running fleet.")
            .addOption(
                OptionSpec.builder("-V", VERSION)
                    .versionHelp(true)
                    .description("Print the version.")
                    .build());
    Map<String, CommandSpec> groups = new LinkedHashMap<>();
    groups.put(
        "kek", groupSpec("kek", "Manages key-encryption keys: create, verify, rotate, remove."));
    groups.put("keyring", groupSpec("keyring", "Lists keyrings."));
    groups.put(
        "collection", groupSpec("collection", "Lists and unregisters collections of records."));
    groups.put("secret", groupSpec("secret", "Stores and reads small sealed values."));
    groups.put("audit", groupSpec("audit", "Lists and verifies the audit of a keyring."));
    groups.forEach(root::addSubcommand);
    commands.forEach((name, command) ->
        groups
            .getOrDefault(name.getFirst(), root)
            .addSubcommand(name.getLast(), commandSpec(command.get())));
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

  private int reportUnmatched(UnmatchedArgumentException e, String... args) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    String unknown = e.getUnmatched().getFirst();
    return reportFailure(
        "unknown argument " + Console.sanitize(unknown) + " for " + command,
        e.getSuggestions().stream()
            .filter(it -> isNear(unknown, it))
            .map(it -> withReplaced(args, unknown, it))
            .filter(this::canParse)
            .findFirst()
            .map(it -> "keyfleet " + String.join(" ", it))
            .orElse(command + " --help"));
  }

  /// The arguments with a correct word in place of an unknown one.
  private static List<String> withReplaced(String[] args, String unknown, String correct) {
    List<String> replaced = new ArrayList<>(List.of(args));
    int position = replaced.indexOf(unknown);
    if (replaced.contains(correct)) {
      replaced.remove(position);
    } else {
      replaced.set(position, correct);
    }
    return replaced;
  }

  /// picocli suggests something for every word; a word that shares no beginning with it is no help.
  private static boolean isNear(String unknown, String suggestion) {
    String bare = suggestion.replaceFirst("^-+", "");
    String typed = unknown.replaceFirst("^-+", "");
    return !bare.isEmpty() && !typed.isEmpty() && bare.charAt(0) == typed.charAt(0);
  }

  private int reportFailure(String message, String remedy) {
    return reportFailure(ExitCode.ERROR, message, remedy);
  }

  /// Prints the failure for people, and with `-o json` for programs too: unless the command has
  /// printed its object already, which then says why the condition is not met.
  private int reportFailure(int exitCode, String message, String remedy) {
    if (isJson && (!console.hasData() || exitCode == ExitCode.ERROR)) {
      JsonOutput.print(
          console.out(),
          json ->
              json.writeStringProperty("error", message)
                  .writeStringProperty("remedy", console.complete(remedy))
                  .writeNumberProperty("exit_code", exitCode));
    }
    console.printError(message, remedy);
    return exitCode;
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
        .options()
        .text(
            CONFIG,
            "FILE",
            "The configuration file. Default: keyfleet.yaml here, else in /etc/keyfleet.")
        .spec()
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
