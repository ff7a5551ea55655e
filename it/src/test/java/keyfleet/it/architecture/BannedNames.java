package keyfleet.it.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Names that some classes must not use, and the classes that may.
final class BannedNames {
  /// Classes that may read the machine's clock or end the process.
  static final Set<String> WIRING =
      Set.of(
          // passes the clock, the random source and the streams to everything else
          "keyfleet.cli.Main",
          // the elapsed clock, which also counts while the machine is suspended
          "keyfleet.store.host.BootClock",
          // prints the number of events per second
          "keyfleet.sim.SimulationSoak",
          // ends with the exit code of the soak
          "keyfleet.it.soak.PluginSoak",
          // passes the clock to every measurement
          "keyfleet.bench.Bench");

  /// Classes that may read the bytes of a [keyfleet.crypto.SecretBytes].
  static final Set<String> SECRET_READERS =
      Set.of(
          // passes a plaintext to the JDK's cipher
          "keyfleet.crypto.DerivedKeyAead",
          // passes a key to the JDK's HMAC
          "keyfleet.crypto.Hkdf",
          // passes a local KEK to the JDK's cipher
          "keyfleet.crypto.RandomNonceAead",
          // passes the sentinel's secret to the JDK's HMAC
          "keyfleet.crypto.Proof",
          // writes a new key once, as hex
          "keyfleet.providers.KeyHex",
          // passes a DEK to the token, which wraps it
          "keyfleet.providers.pkcs11.Pkcs11DekCipher",
          // passes the PIN to the token
          "keyfleet.providers.pkcs11.Pkcs11Login",
          // passes a DEK to Transit, which wraps it
          "keyfleet.providers.vault.VaultKek",
          // writes the token into a header
          "keyfleet.providers.vault.VaultToken",
          // passes a DEK to KMS, which wraps it
          "keyfleet.awskms.AwsKmsKek",
          // gives an application the value that it opened
          "keyfleet.member.Plaintext",
          // prints a secret's value to standard output
          "keyfleet.cli.secret.SecretGetCommand",
          // compares stored values with the values that were acknowledged
          "keyfleet.sim.rotation.RotationOracle",
          // a fake key wraps by copying
          "keyfleet.sim.cipher.FakeKek");

  static final String CLOCK =
      """
      Instant.now Local*.now Zoned*.now Offset*.now Year*.now Date.new InstantSource.system
      Clock.system* Clock.tick* System.currentTimeMillis System.nanoTime LockSupport.park*
      """;

  static final String EFFECT =
      """
      SecureRandom.new SecureRandom.getInstance* Random.new SplittableRandom.new Math.random
      RandomGenerator.of RandomGenerator.getDefault ThreadLocalRandom UUID.randomUUID
      Thread Executor* CompletableFuture ForkJoinPool java.util.Timer
      System.out System.err System.Logger System.getLogger org.slf4j java.util.logging
      System.in System.getenv System.getProperty Runtime.getRuntime ProcessBuilder
      java.io.File* java.io.RandomAccessFile java.nio.file java.nio.channels java.net
      """;

  private BannedNames() {}

  /// Access to a member whose name with its class contains one of the words, or dependence on a
  /// class whose name does. A word matches as a whole; `*` stands for the rest of it. A constructor
  /// is called `new`.
  static ArchCondition<JavaClass> use(String words) {
    String any = words.strip().replace(".", "\\.").replace("*", "\\w*").replaceAll("\\s+", "|");
    Predicate<String> names = Pattern.compile("(.*\\.)?(" + any + ")(\\..*)?").asMatchPredicate();
    return accessTargetWhere(
            DescribedPredicate.<JavaAccess<?>>describe(
                "has a banned name", access -> names.test(nameOf(access))))
        .or(
            dependOnClassesThat(
                describe("have a banned name", type -> names.test(dotted(type.getName())))))
        .as("use a banned name");
  }

  /// A nested class counts as its outermost class.
  static DescribedPredicate<JavaClass> areOutside(Set<String> names) {
    return describe(
        "are not listed", type -> !names.contains(type.getName().replaceFirst("\\$.*", "")));
  }

  private static String nameOf(JavaAccess<?> access) {
    String member = access.getTarget().getName().replace("<init>", "new");
    return dotted(access.getTargetOwner().getName()) + "." + member;
  }

  private static String dotted(String className) {
    return className.replace('$', '.');
  }
}
