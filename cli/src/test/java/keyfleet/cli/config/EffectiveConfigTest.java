package keyfleet.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.cli.config.ServerSettings.ListenAddress;
import keyfleet.cli.output.CommandException;
import keyfleet.crypto.KeyringName;
import keyfleet.server.EventLog;
import keyfleet.server.RateLimit;
import keyfleet.server.Role;
import keyfleet.store.CollectionShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/// Which files and variables are accepted, and how the others are refused.
class EffectiveConfigTest {
  private static final String FULL =
      """
      # A team's own tables, and the fleet that rotates them.
      store: postgresql://ann@db/fleet?password-file=/run/db.pw
      records: mongodb://ann@m/app?password-file=/run/m.pw
      keyring: payments
      providers: [env, 'file:/etc/keys']
      instance: api-1
      timings: {heartbeat: 10s, fresh: 20s, lease: 30s, expire: 40s, adopt: 20s}
      collections:
        - name: orders
          id: order_id
          sealed: [card, iban]
        - {name: notes, sealed: [body], version-field: kek_version, keyring: main}
      server:
        roles: [worker]
        listen: 0.0.0.0:9000
        log-format: json
      rotation:
        rate: 500
        min-processes: 3
        expected: [api-1, api-2]
      backup-horizon: 90d
      """;

  private static EffectiveConfig config(String text, Map<String, String> environment) {
    return EffectiveConfig.of(ParsedConfig.of(new ConfigFile("k.yaml", text)), environment);
  }

  private static ServerSettings server(EffectiveConfig config, String... args) {
    CommandSpec spec = ServerSettings.addTo(CommandOptions.of("a command")).spec();
    return ServerSettings.of(new CommandLine(spec).parseArgs(args), config);
  }

  private static CollectionShape shape(String name, String id, String... sealed) {
    return new CollectionShape(name, id, new TreeSet<>(List.of(sealed)));
  }

  @Test
  void fullFile_becomesVariables() {
    EffectiveConfig config = config(FULL, Map.of("HOME", "/root"));
    assertEquals(
        Map.ofEntries(
            Map.entry("HOME", "/root"),
            Map.entry("KEYFLEET_STORE", "postgresql://ann@db/fleet?password-file=/run/db.pw"),
            Map.entry("KEYFLEET_RECORDS", "mongodb://ann@m/app?password-file=/run/m.pw"),
            Map.entry("KEYFLEET_KEYRING", "payments"),
            Map.entry("KEYFLEET_PROVIDER", "env,file:/etc/keys"),
            Map.entry("KEYFLEET_INSTANCE", "api-1"),
            Map.entry("KEYFLEET_TIMING_HEARTBEAT", "10s"),
            Map.entry("KEYFLEET_TIMING_FRESH", "20s"),
            Map.entry("KEYFLEET_TIMING_LEASE", "30s"),
            Map.entry("KEYFLEET_TIMING_EXPIRE", "40s"),
            Map.entry("KEYFLEET_TIMING_ADOPT", "20s"),
            Map.entry("KEYFLEET_SERVER__ROLES", "worker"),
            Map.entry("KEYFLEET_SERVER__LISTEN", "0.0.0.0:9000"),
            Map.entry("KEYFLEET_SERVER__LOG_FORMAT", "json"),
            Map.entry("KEYFLEET_ROTATION__RATE", "500"),
            Map.entry("KEYFLEET_ROTATION__MIN_PROCESSES", "3"),
            Map.entry("KEYFLEET_ROTATION__EXPECTED", "api-1,api-2"),
            Map.entry("KEYFLEET_BACKUP_HORIZON", "90d")),
        config.environment());
  }

  @Test
  void collection_belongsToTheKeyringOfItsEntryElseOfTheProcess() {
    List<DeclaredCollection> declared = config(FULL, Map.of()).collections();
    assertEquals(
        List.of(
            new DeclaredCollection(
                new KeyringName("payments"), shape("orders", "order_id", "card", "iban")),
            new DeclaredCollection(
                KeyringName.MAIN, shape("notes", "id", "body").withVersionField("kek_version"))),
        declared);
    assertEquals(
        List.of(Optional.empty(), Optional.of("kek_version")),
        declared.stream().map(it -> it.toRegistration("sqlite").versionField()).toList());
    EffectiveConfig other = config(FULL, Map.of("KEYFLEET_KEYRING", "other"));
    assertEquals(new KeyringName("other"), other.collections().getFirst().keyring());
  }

  @Test
  void server_takesFlagsBeforeVariablesBeforeTheFileBeforeDefaults() {
    ServerSettings unset = server(EffectiveConfig.of(Map.of()));
    assertEquals(
        new ServerSettings(
            Set.of(Role.WORKER, Role.SCHEDULER),
            new ListenAddress("127.0.0.1", 0),
            EventLog.Format.TEXT,
            List.of(),
            RateLimit.UNLIMITED),
        unset);
    EffectiveConfig file = config(FULL, Map.of());
    assertEquals(
        new ServerSettings(
            Set.of(Role.WORKER),
            new ListenAddress("0.0.0.0", 9000),
            EventLog.Format.JSON,
            file.collections(),
            new RateLimit(500)),
        server(file));
    EffectiveConfig variables =
        config(
            FULL,
            Map.of(
                "KEYFLEET_SERVER__ROLES", "scheduler, worker",
                "KEYFLEET_SERVER__LISTEN", "[::1]:0",
                "KEYFLEET_SERVER__LOG_FORMAT", "text",
                "KEYFLEET_ROTATION__RATE", "7"));
    ServerSettings set = server(variables);
    assertEquals(Set.of(Role.SCHEDULER, Role.WORKER), set.roles());
    assertEquals(new ListenAddress("[::1]", 0), set.listenAddress());
    assertEquals(EventLog.Format.TEXT, set.logFormat());
    assertEquals(new RateLimit(7), set.rateLimit());
    ServerSettings flagged =
        server(variables, "--roles=worker", "--listen=h:1", "--log-format=json", "--rate=9");
    assertEquals(Set.of(Role.WORKER), flagged.roles());
    assertEquals(new ListenAddress("h", 1), flagged.listenAddress());
    assertEquals(EventLog.Format.JSON, flagged.logFormat());
    assertEquals(new RateLimit(9), flagged.rateLimit());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          KEYFLEET_SERVER__LISTEN    | here  | KEYFLEET_SERVER__LISTEN=here is not an address; use HOST:PORT with a port from 0 to 65535 | KEYFLEET_SERVER__LISTEN=127.0.0.1:8080
          KEYFLEET_SERVER__LISTEN    | h:65536 | KEYFLEET_SERVER__LISTEN=h:65536 is not an address; use HOST:PORT with a port from 0 to 65535 | KEYFLEET_SERVER__LISTEN=127.0.0.1:8080
          KEYFLEET_SERVER__ROLES     | api   | KEYFLEET_SERVER__ROLES: role 'api' is not supported; use worker or scheduler | KEYFLEET_SERVER__ROLES=worker
          KEYFLEET_SERVER__ROLES     | ''    | KEYFLEET_SERVER__ROLES= is not a role; use worker or scheduler | KEYFLEET_SERVER__ROLES=worker
          KEYFLEET_ROTATION__RATE    | 0     | KEYFLEET_ROTATION__RATE=0 is not a number of records per second | KEYFLEET_ROTATION__RATE=500
          KEYFLEET_SERVER__LISEN     | s3cret | unknown setting KEYFLEET_SERVER__LISEN | KEYFLEET_SERVER__LISTEN
          KEYFLEET_TIMING__HEARTBEAT | s3cret | unknown setting KEYFLEET_TIMING__HEARTBEAT | KEYFLEET_TIMING_HEARTBEAT
          KEYFLEET__X                | s3cret | unknown setting KEYFLEET__X | unset KEYFLEET__X
          """)
  void badVariable_isRefusedByItsName(String name, String value, String message, String remedy) {
    CommandException e =
        assertThrows(CommandException.class, () -> server(EffectiveConfig.of(Map.of(name, value))));
    assertEquals(message, e.getMessage());
    assertEquals(remedy, e.remedy());
  }

  @Test
  void foreignVariable_isIgnored() {
    Map<String, String> others =
        Map.of("KEYFLEET_TEST_NATS", "x", "KEYFLEET_KEK_PAY__ROLL_V1", "y", "A__B", "z");
    assertEquals(others, EffectiveConfig.of(others).environment());
  }

  @Test
  void emptyUrlVariable_countsAsUnset() {
    EffectiveConfig config = config("store: sqlite:a.db\n", Map.of("KEYFLEET_STORE", ""));
    assertEquals("sqlite:a.db", config.environment().get("KEYFLEET_STORE"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# nothing\n", "---\n", "--- {}\n...\n", "%YAML 1.2\n---\n"})
  void fileWithoutKeys_setsNothing(String text) {
    assertEquals(new EffectiveConfig(Map.of(), List.of()), config(text, Map.of()));
  }

  @Test
  void values_areTextWhateverTheyLookLike() {
    EffectiveConfig config =
        config("instance: 007\ncollections: [{name: no, id: on, sealed: [yes]}]\n", Map.of());
    assertEquals("007", config.environment().get("KEYFLEET_INSTANCE"));
    assertEquals(shape("no", "on", "yes"), config.collections().getFirst().shape());
  }

  /// `¶` stands for a line break.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          stroe: sqlite:a.db               | k.yaml:1: unknown key stroe | store
          keyring: a¶¶server: {lisen: x}   | k.yaml:3: unknown key server.lisen | server.listen
          listen: h:1                      | k.yaml:1: unknown key listen | server: {listen: …}
          server.listen: h:1               | k.yaml:1: unknown key server.listen | server: {listen: …}
          frobnicate: 1                    | k.yaml:1: unknown key frobnicate | one of store, records, keyring, providers, instance, timings, server, rotation, backup-horizon, collections
          timings: {snooze: 1s}            | k.yaml:1: unknown key timings.snooze | one of heartbeat, fresh, lease, expire, adopt
          collections: [{naem: a}]         | k.yaml:1: unknown key collections.naem | collections.name
          '"a\\e[2J": 1'                   | k.yaml:1: unknown key a?[2J | one of store, records, keyring, providers, instance, timings, server, rotation, backup-horizon, collections
          keyring: a¶keyring: b            | k.yaml:2: the key keyring appears twice | keep one of them
          store:                           | k.yaml:1: store is empty | a value, or leave store out
          store: ~                         | k.yaml:1: store is empty | a value, or leave store out
          store: [a]                       | k.yaml:1: store must be one value, not several | one value for store
          providers: env                   | k.yaml:1: providers must be a list of values | providers: [ONE, TWO]
          providers: []                    | k.yaml:1: providers must be a list of values | providers: [ONE, TWO]
          providers: [env, [env]]          | k.yaml:1: providers must be a list of values | providers: [ONE, TWO]
          timings: 3s                      | k.yaml:1: timings must contain keys | timings: {heartbeat, fresh, lease, expire, adopt}
          collections: orders              | k.yaml:1: collections must be a list | - {name: orders, id: id, sealed: [card]}
          collections: [orders]            | k.yaml:1: collections must contain keys | - {name: orders, id: id, sealed: [card]}
          - store                          | k.yaml:1: a configuration consists of keys and values | store: sqlite:keyfleet.db
          store                            | k.yaml:1: a configuration consists of keys and values | store: sqlite:keyfleet.db
          keyring: a¶---¶keyring: b        | k.yaml:2: a second document begins here | one document in one file
          keyring: &a x                    | k.yaml:1: anchors are not supported | write the value out where it is needed
          keyring: *a                      | k.yaml:1: aliases are not supported | write out what the alias stands for
          keyring: !!str x                 | k.yaml:1: tags are not supported | leave it out: every value is text
          '? [a]¶: b'                      | k.yaml:1: a key must be a single value | store: sqlite:keyfleet.db
          'keyring: [a'                    | k.yaml:2: this is not YAML: expected ',' or ']', but got <stream end> | store: sqlite:keyfleet.db
          'keyring: a¶  store: b'          | k.yaml:2: this is not YAML: mapping values are not allowed here | store: sqlite:keyfleet.db
          """)
  void badStructure_isReportedInOneSentence(String text, String message, String remedy) {
    assertRefused(text.replace('¶', '\n') + "\n", message, remedy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          store: redis://h                 | k.yaml:1: store: unknown store engine: redis | sqlite:keyfleet.db, postgresql://HOST/DATABASE, mongodb://HOST/DATABASE, nats://HOST
          store: postgresql://ann:s3cret@h/d | k.yaml:1: store: the URL contains a password, but this file must not hold secrets | use postgresql://USER@HOST/DATABASE?password-file=FILE, or the URL in a variable
          records: mongodb://ann:s3cret@h  | k.yaml:1: records: the URL contains a password, but this file must not hold secrets | use mongodb://USER@HOST/DATABASE?password-file=FILE, or the URL in a variable
          store: nats://h?monitor=http://ann:s3cret@h | k.yaml:1: store: the URL contains a password, but this file must not hold secrets | use nats://USER@HOST?password-file=FILE, or the URL in a variable
          keyring: Payments                | k.yaml:1: keyring: Payments is not a keyring name: a-z, 0-9 and -, at most 63 characters, a letter first | keyring: main
          providers: [env, unknown:x]        | k.yaml:1: providers: provider unknown:x: unknown provider kind | env, file:DIR, pkcs11:MODULE?token=LABEL&pin-file=FILE, vault:URL?token-file=FILE or awskms:REGION
          providers: [awskms:x]            | k.yaml:1: providers: provider awskms:x: not a valid AWS region | awskms:eu-central-1?alias=NAME
          providers: ['file:/a,b']         | k.yaml:1: providers: a provider must not contain a comma | one list entry for each provider
          instance: a b                    | k.yaml:1: instance: an instance name has letters, digits and . _ : @ / -, at most 190 characters; this one is 'a b' | instance: api-1
          timings: {lease: 90}             | k.yaml:1: timings.lease: 90 is not a duration: a whole number and a unit, ms, s, m, h or d, such as 500ms or 30s; at most 36500d | timings.lease: 90s
          timings: {heartbeat: 40s}        | k.yaml:1: the timings must satisfy 2 x heartbeat <= fresh < lease < expire, 2 x heartbeat <= adopt and 1s <= expire, but are heartbeat=40s fresh=1m lease=90s expire=2m adopt=1m | leave timings out: the process then takes those of the fleet
          server: {roles: [api]}           | k.yaml:1: server.roles: role 'api' is not supported; use worker or scheduler | server.roles: worker
          server: {roles: [driver]}        | k.yaml:1: server.roles: driver is not a role; use worker or scheduler | server.roles: worker
          server: {listen: 8080}           | k.yaml:1: server.listen: 8080 is not an address; use HOST:PORT with a port from 0 to 65535 | server.listen: 127.0.0.1:8080
          server: {log-format: xml}        | k.yaml:1: server.log-format: xml is not a log format; use text or json | server.log-format: json
          rotation: {rate: fast}           | k.yaml:1: rotation.rate: fast is not a number of records per second | rotation.rate: 500
          rotation: {min-processes: 0}     | k.yaml:1: rotation.min-processes: 0 is not a number of processes | rotation.min-processes: 3
          backup-horizon: 30               | k.yaml:1: backup-horizon: 30 is not a duration: a whole number and a unit, ms, s, m, h or d, such as 500ms or 30s; at most 36500d | backup-horizon: 30d
          collections: [{name: a}]         | k.yaml:1: a collection needs sealed fields | - {name: orders, id: id, sealed: [card]}
          collections: [{sealed: [a]}]     | k.yaml:1: a collection needs a name | - {name: orders, id: id, sealed: [card]}
          collections: [{name: a, sealed: [c], version-field: c}] | k.yaml:1: collections.version-field: c is the id field or sealed, so no version can be written there | a column of its own, such as kek_version
          collections: [{name: a, sealed: [c], version-field: id}] | k.yaml:1: collections.version-field: id is the id field or sealed, so no version can be written there | a column of its own, such as kek_version
          collections: [{name: a, sealed: [c], version-field: 2nd}] | k.yaml:1: collections.version-field: 2nd is not the name of a table or column: letters, digits, _ and -, at most 63 characters, no digit first | collections.version-field: kek_version
          collections: [{name: a, sealed: [c], version-field: [k]}] | k.yaml:1: collections.version-field must be one value, not several | one value for collections.version-field
          collections: [{name: a, sealed: [c], version-field: ''}] | k.yaml:1: collections.version-field is empty | a value, or leave collections.version-field out
          collections: [{name: a, sealed: [c], version_field: k}] | k.yaml:1: unknown key collections.version_field | collections.version-field
          collections: [{name: a b, sealed: [c]}] | k.yaml:1: collections.name: a b is not the name of a table or column: letters, digits, _ and -, at most 63 characters, no digit first | collections.name: orders
          collections: [{name: a, sealed: [id]}] | k.yaml:1: collections.sealed: id is the id field, which is never sealed | leave it out of sealed
          collections: [{name: a, sealed: [c, c]}] | k.yaml:1: collections.sealed: c appears twice | keep one of them
          collections: [{name: a, sealed: [c]}, {name: a, sealed: [d]}] | k.yaml:1: collections.name: a is declared twice | one entry with all its sealed fields
          collections: [{name: a, sealed: [c], keyring: X}] | k.yaml:1: collections.keyring: X is not a keyring name: a-z, 0-9 and -, at most 63 characters, a letter first | collections.keyring: main
          """)
  void badValue_isReportedInOneSentence(String text, String message, String remedy) {
    assertRefused(text + "\n", message, remedy);
  }

  private static void assertRefused(String text, String message, String remedy) {
    CommandException e = assertThrows(CommandException.class, () -> config(text, Map.of()));
    assertEquals(message, e.getMessage());
    assertEquals(remedy, e.remedy());
    assertFalse(e.getMessage().contains("s3cret"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? ", "- ? ", "[{a: "})
  void deepNesting_isRefusedWithoutRecursion(String step) {
    String text = "store: " + (step.startsWith("-") || step.startsWith("?") ? "\n  " : "");
    String deep = text + step.repeat((ConfigFile.MAX_BYTES - 100) / step.length());
    assertThrows(CommandException.class, () -> config(deep, Map.of()));
  }

  @Test
  void aliasBomb_isRefusedAtItsFirstAnchor() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 40; i++) {
      bomb.append("a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1));
    }
    assertRefused(
        bomb.toString(),
        "k.yaml:1: anchors are not supported",
        "write the value out where it is needed");
  }

  /// Any text is either read or refused in one sentence with a remedy.
  @Test
  void anyText_isReadOrRefused() {
    String pieces = "{}[]:,-?&*!|>'\"%@`#~ \n\t\\\0\u0085\u2028\uFEFF\uD800é0a.<";
    for (int seed = 0; seed < 4000; seed++) {
      String text = mangle(new Random(seed), pieces);
      try {
        config(text, Map.of());
      } catch (CommandException e) {
        String message = e.getMessage();
        assertTrue(
            message.startsWith("k.yaml:") && !message.contains("\n"), "seed " + seed + message);
        assertFalse(e.remedy().isBlank(), "seed " + seed);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static String mangle(Random random, String pieces) {
    StringBuilder text = new StringBuilder(random.nextBoolean() ? FULL : "");
    int edits = 1 + random.nextInt(30);
    for (int i = 0; i < edits; i++) {
      int at = random.nextInt(text.length() + 1);
      if (random.nextBoolean() && at < text.length()) {
        text.delete(at, Math.min(text.length(), at + random.nextInt(12)));
      } else {
        text.insert(at, pieces.charAt(random.nextInt(pieces.length())));
      }
    }
    return text.toString();
  }
}
