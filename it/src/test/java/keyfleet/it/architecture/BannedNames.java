package keyfleet.it.architecture;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Names that some files must not use, and the reason; `%s` in the reason stands for the file's
/// path.
record BannedNames(Predicate<SourceFile> where, Predicate<String> names, String reason) {
  private static final Predicate<SourceFile> ANYWHERE = SourceFile::isJava;
  private static final Predicate<SourceFile> MAIN = SourceFile::isMain;

  /// Files that may read the machine's clock or end the process.
  private static final Set<String> WIRING =
      Set.of(
          // passes the clock, the random source and the streams to everything else
          "cli/src/main/java/keyfleet/cli/Main.java",
          // the elapsed clock, which also counts while the machine is suspended
          "store/src/main/java/keyfleet/store/host/BootClock.java",
          // prints the number of events per second
          "sim/src/main/java/keyfleet/sim/SimulationSoak.java",
          // ends with the exit code of the soak
          "it/src/test/java/keyfleet/it/soak/PluginSoak.java",
          // passes the clock to every measurement
          "bench/src/main/java/keyfleet/bench/Bench.java");

  /// Files that may read the bytes of a [keyfleet.crypto.SecretBytes].
  private static final Set<String> SECRET_READERS =
      Set.of(
          // passes a plaintext to the JDK's cipher
          "crypto/src/main/java/keyfleet/crypto/DerivedKeyAead.java",
          // passes a key to the JDK's HMAC
          "crypto/src/main/java/keyfleet/crypto/Hkdf.java",
          // passes a local KEK to the JDK's cipher
          "crypto/src/main/java/keyfleet/crypto/RandomNonceAead.java",
          // passes the sentinel's secret to the JDK's HMAC
          "crypto/src/main/java/keyfleet/crypto/Proof.java",
          // writes a new key once, as hex
          "providers/src/main/java/keyfleet/providers/KeyHex.java",
          // passes a DEK to the token, which wraps it
          "providers/src/main/java/keyfleet/providers/pkcs11/Pkcs11DekCipher.java",
          // passes the PIN to the token
          "providers/src/main/java/keyfleet/providers/pkcs11/Pkcs11Login.java",
          // passes a DEK to Transit, which wraps it
          "providers/src/main/java/keyfleet/providers/vault/VaultKek.java",
          // writes the token into a header
          "providers/src/main/java/keyfleet/providers/vault/VaultToken.java",
          // passes a DEK to KMS, which wraps it
          "awskms/src/main/java/keyfleet/awskms/AwsKmsKek.java",
          // gives an application the value that it opened
          "member/src/main/java/keyfleet/member/Plaintext.java",
          // prints a secret's value to standard output
          "cli/src/main/java/keyfleet/cli/secret/SecretGetCommand.java",
          // compares stored values with the values that were acknowledged
          "sim/src/main/java/keyfleet/sim/rotation/RotationOracle.java",
          // a fake key wraps by copying
          "sim/src/main/java/keyfleet/sim/cipher/FakeKek.java");

  private static final Predicate<String> CLOCK =
      names(
          """
          Instant.now Local*.now Zoned*.now Offset*.now Year*.now Date.new InstantSource.system
          Clock.system* Clock.tick* System.currentTimeMillis System.nanoTime
          Thread.sleep TimeUnit.*.sleep LockSupport.park*
          """);

  private static final Predicate<String> EFFECT =
      names(
          """
          SecureRandom.new SecureRandom.getInstance* Random.new SplittableRandom.new Math.random
          RandomGenerator.of RandomGenerator.getDefault ThreadLocalRandom UUID.randomUUID
          Thread Executor* CompletableFuture ForkJoinPool java.util.Timer
          System.out System.err System.Logger System.getLogger org.slf4j java.util.logging
          System.in System.getenv System.getProperty Runtime.getRuntime ProcessBuilder
          java.io.File* java.io.RandomAccessFile java.nio.file java.nio.channels java.net
          """);

  static final List<BannedNames> THIRD_PARTY =
      List.of(
          thirdParty("picocli org.snakeyaml", "cli"),
          thirdParty("io.grpc io.netty", "kube kms"),
          thirdParty("com.mongodb org.bson", "mongodb bench"),
          thirdParty("io.nats", "nats bench"),
          thirdParty("org.postgresql com.zaxxer", "postgres bench"),
          thirdParty("software.amazon", "awskms"),
          thirdParty("io.prometheus", "server kms"),
          thirdParty("io.opentelemetry", "otel"),
          thirdParty("org.sqlite", "sqlite"),
          thirdParty(
              "tools.jackson com.fasterxml",
              "cli server kube kms control member mongodb nats postgres providers sqlite wire store"),
          new BannedNames(
              MAIN.and(file -> file.module().equals("crypto")),
              Pattern.compile("([a-z]\\w*\\.){2,}[A-Z].*")
                  .asMatchPredicate()
                  .and(names("java javax keyfleet org.jspecify").negate())
                  .and(names("com.google.errorprone.annotations").negate()),
              "is not part of the JDK"));

  static final BannedNames EFFECTS =
      new BannedNames(
          MAIN.and(ModuleGraph::isPure),
          CLOCK.or(EFFECT),
          "in a pure module; take the outcome as an argument");

  static final BannedNames CLOCKS =
      new BannedNames(
          MAIN.and(outside(WIRING)), CLOCK, "outside the wiring; take a clock as an argument");

  static final BannedNames SLEEPS =
      new BannedNames(
          SourceFile::isTest,
          names("Thread.sleep TimeUnit.*.sleep"),
          "in a test; wait for a condition or move a fake clock");

  static final BannedNames SECRETS =
      new BannedNames(
          MAIN.and(outside(SECRET_READERS)),
          names("SecretAccess.granted"),
          "reads secret bytes; if this file must, add it to BannedNames.SECRET_READERS: \"%s\",");

  static final List<BannedNames> GENERAL =
      List.of(
          new BannedNames(
              outside(WIRING), names("System.exit"), "outside the wiring; throw an exception"),
          new BannedNames(
              ANYWHERE, names("printStackTrace"), "prints no message for operators; log or throw"),
          new BannedNames(
              MAIN,
              names("requireNonNull*"),
              "is not needed: @NullMarked lets the compiler check it"),
          new BannedNames(
              ANYWHERE, names("lombok org.mockito net.jqwik"), "is not used in this project"),
          new BannedNames(
              ANYWHERE,
              names("org.junit.jupiter.api.Disabled"),
              "hides a broken test; mend or delete the test"),
          new BannedNames(
              ANYWHERE,
              name -> name.endsWith(".*"),
              "hides names from these rules; import each type"));

  Stream<RuleViolation> check(SourceFile file) {
    return where.test(file)
        ? file.violationsOf(names, reason.formatted(file.path()))
        : Stream.empty();
  }

  private static BannedNames thirdParty(String types, String modules) {
    Predicate<SourceFile> isUnrestrictedTest =
        file -> ModuleGraph.isUnrestricted(file) && file.isTest();
    Predicate<SourceFile> isAllowedModule = file -> ModuleGraph.isIn(modules, file.module());
    return new BannedNames(
        isUnrestrictedTest.or(isAllowedModule).negate(),
        names(types),
        "is allowed only in " + modules);
  }

  private static Predicate<SourceFile> outside(Set<String> paths) {
    return file -> !paths.contains(file.path());
  }

  /// Matches a dotted name that contains one of the words as a whole; `*` stands for the rest of a
  /// word.
  private static Predicate<String> names(String words) {
    String any = words.strip().replace(".", "\\.").replace("*", "\\w*").replaceAll("\\s+", "|");
    return Pattern.compile("(.*\\.)?(" + any + ")(\\..*)?").asMatchPredicate();
  }
}
