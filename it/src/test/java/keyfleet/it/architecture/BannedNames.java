package keyfleet.it.architecture;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Names that may not be written in some files, and why; `%s` in it is the file's path.
record BannedNames(Predicate<SourceFile> where, Predicate<String> names, String reason) {
  private static final Predicate<SourceFile> ANYWHERE = SourceFile::isJava;
  private static final Predicate<SourceFile> MAIN = SourceFile::isMain;

  /// Files that may read the machine's clock and end the process.
  private static final Set<String> WIRING =
      Set.of(
          // hands clock, random source and streams to all else
          "cli/src/main/java/keyfleet/cli/Main.java",
          // the clock of those who are handed none: it goes on while the machine is suspended
          "store/src/main/java/keyfleet/store/host/BootClock.java",
          // prints how many events a second it simulated
          "sim/src/main/java/keyfleet/sim/SimulationSoak.java",
          // tells by its exit what a soak came to
          "it/src/test/java/keyfleet/it/soak/PluginSoak.java",
          // hands the clock to all that is measured
          "bench/src/main/java/keyfleet/bench/Bench.java");

  /// Files that may take secret bytes out of their wrapper.
  private static final Set<String> SECRET_READERS =
      Set.of(
          // a plaintext goes into the JDK's cipher
          "crypto/src/main/java/keyfleet/crypto/DerivedKeyAead.java",
          // a key goes into the JDK's HMAC
          "crypto/src/main/java/keyfleet/crypto/Hkdf.java",
          // a local KEK goes into the JDK's cipher
          "crypto/src/main/java/keyfleet/crypto/RandomNonceAead.java",
          // the sentinel's secret goes into the JDK's HMAC
          "crypto/src/main/java/keyfleet/crypto/Proof.java",
          // a new key is written down once, as hex
          "providers/src/main/java/keyfleet/providers/KeyHex.java",
          // a DEK goes to the token, which wraps it
          "providers/src/main/java/keyfleet/providers/pkcs11/Pkcs11DekCipher.java",
          // the PIN goes to the token
          "providers/src/main/java/keyfleet/providers/pkcs11/Pkcs11Login.java",
          // a DEK goes to Transit, which wraps it
          "providers/src/main/java/keyfleet/providers/vault/VaultKek.java",
          // the token goes into a header
          "providers/src/main/java/keyfleet/providers/vault/VaultToken.java",
          // a DEK goes to KMS, which wraps it
          "awskms/src/main/java/keyfleet/awskms/AwsKmsKek.java",
          // an application takes what it has opened
          "member/src/main/java/keyfleet/member/Plaintext.java",
          // a secret's value goes to standard output
          "cli/src/main/java/keyfleet/cli/secret/SecretGetCommand.java",
          // what was simulated is compared with what an application was told
          "sim/src/main/java/keyfleet/sim/rotation/RotationOracle.java",
          // a simulated key wraps by copying
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
          thirdParty("org.sqlite", "store"),
          thirdParty(
              "tools.jackson com.fasterxml",
              "cli server kube kms control member mongodb nats postgres store"),
          new BannedNames(
              MAIN.and(file -> file.module().equals("crypto")),
              Pattern.compile("([a-z]\\w*\\.){2,}[A-Z].*")
                  .asMatchPredicate()
                  .and(names("java javax keyfleet org.jspecify").negate())
                  .and(names("com.google.errorprone.annotations").negate()),
              "is not the JDK's"));

  static final BannedNames EFFECTS =
      new BannedNames(
          MAIN.and(ModuleGraph::isPure),
          CLOCK.or(EFFECT),
          "in a pure room; take its outcome as an argument");

  static final BannedNames CLOCKS =
      new BannedNames(MAIN.and(outside(WIRING)), CLOCK, "outside the wiring; be handed a clock");

  static final BannedNames SLEEPS =
      new BannedNames(
          SourceFile::isTest,
          names("Thread.sleep TimeUnit.*.sleep"),
          "in a test; wait for what must happen");

  static final BannedNames SECRETS =
      new BannedNames(
          MAIN.and(outside(SECRET_READERS)),
          names("SecretAccess.granted"),
          "is for few; if this file must be one, add to Ban.SECRET_READERS: \"%s\",");

  static final List<BannedNames> WORDS =
      List.of(
          new BannedNames(outside(WIRING), names("System.exit"), "outside the wiring; throw"),
          new BannedNames(ANYWHERE, names("printStackTrace"), "is no message; log or throw"),
          new BannedNames(MAIN, names("requireNonNull*"), "is the compiler's work, by @NullMarked"),
          new BannedNames(
              ANYWHERE, names("lombok org.mockito net.jqwik"), "is not used in this house"),
          new BannedNames(ANYWHERE, names("org.junit.jupiter.api.Disabled"), "hides a broken test"),
          new BannedNames(ANYWHERE, name -> name.endsWith(".*"), "hides names from these rules"));

  Stream<RuleViolation> check(SourceFile file) {
    return where.test(file) ? file.named(names, reason.formatted(file.path())) : Stream.empty();
  }

  private static BannedNames thirdParty(String types, String modules) {
    Predicate<SourceFile> isTestBesideTheModules =
        file -> ModuleGraph.isUnrestricted(file) && file.isTest();
    Predicate<SourceFile> isAllowedModule = file -> ModuleGraph.isIn(modules, file.module());
    return new BannedNames(
        isTestBesideTheModules.or(isAllowedModule).negate(), names(types), "stays in " + modules);
  }

  private static Predicate<SourceFile> outside(Set<String> paths) {
    return file -> !paths.contains(file.path());
  }

  /// Finds any of the words, whole, within a dotted name; `*` stands for the rest of a word.
  private static Predicate<String> names(String words) {
    String any = words.strip().replace(".", "\\.").replace("*", "\\w*").replaceAll("\\s+", "|");
    return Pattern.compile("(.*\\.)?(" + any + ")(\\..*)?").asMatchPredicate();
  }
}
