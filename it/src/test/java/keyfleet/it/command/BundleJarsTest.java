package keyfleet.it.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The single jar that the launcher builds contains what a class loader would find in the separate
/// jars.
class BundleJarsTest {
  private static final byte[] MULTI_RELEASE =
      "Manifest-Version: 1.0\nMulti-Release: true\n\n".getBytes(UTF_8);

  @TempDir Path folder = Path.of("");

  private void jar(String name, Map<String, byte[]> entries) throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(folder.resolve(name)))) {
      for (var entry : new TreeMap<>(entries).entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
      }
    }
  }

  private Map<String, byte[]> bundle(String... jars) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path tool = Repository.root().resolve("tools/BundleJars.java");
    Shell.Result result =
        new Shell(folder, Map.of())
            .run("%s %s all.jar %s".formatted(java, tool, String.join(" ", jars)));
    assertEquals(0, result.exit(), result.err().toString());
    Map<String, byte[]> found = new TreeMap<>();
    try (var all = new JarFile(folder.resolve("all.jar").toFile())) {
      for (var entry : all.stream().toList()) {
        found.put(entry.getName(), all.getInputStream(entry).readAllBytes());
      }
    }
    return found;
  }

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void duplicateEntries_firstIsKept_andServicesAreMerged() throws IOException {
    jar("a.jar", Map.of("x", text("a"), "META-INF/services/S", text("a.S")));
    jar("b.jar", Map.of("x", text("b"), "y", text("b"), "META-INF/services/S", text("b.S")));
    Map<String, byte[]> found = bundle("a.jar", "b.jar");
    assertEquals(List.of("META-INF/services/S", "x", "y"), new ArrayList<>(found.keySet()));
    assertEquals("a", new String(found.get("x"), UTF_8));
    assertEquals("a.S\nb.S\n", new String(found.get("META-INF/services/S"), UTF_8));
  }

  @Test
  void versionedEntries_useThisJdksVersion_ifTheJarIsMultiRelease() throws IOException {
    Map<String, byte[]> entries =
        Map.of(
            "x", text("base"),
            "META-INF/versions/11/x", text("11"),
            "META-INF/versions/25/x", text("25"),
            "META-INF/versions/999/x", text("999"));
    jar("plain.jar", entries);
    assertEquals("base", new String(bundle("plain.jar").get("x"), UTF_8));
    Map<String, byte[]> versioned = new TreeMap<>(entries);
    versioned.put(JarFile.MANIFEST_NAME, MULTI_RELEASE);
    jar("versioned.jar", versioned);
    Map<String, byte[]> found = bundle("versioned.jar");
    assertEquals(List.of("x"), new ArrayList<>(found.keySet()));
    assertEquals("25", new String(found.get("x"), UTF_8));
  }

  @Test
  void signaturesAndManifests_areLeftOut() throws IOException {
    jar(
        "signed.jar",
        Map.of(
            JarFile.MANIFEST_NAME,
            text("Manifest-Version: 1.0\n"),
            "META-INF/BC.SF",
            text("s"),
            "META-INF/BC.RSA",
            text("s"),
            "module-info.class",
            text("m"),
            "META-INF/LICENSE",
            text("l")));
    assertEquals(List.of("META-INF/LICENSE"), new ArrayList<>(bundle("signed.jar").keySet()));
  }

  @Test
  void classFileTooOldForACache_isUpgraded_othersAreUnchanged() throws IOException {
    byte[] recent = type(ClassFile.JAVA_8_VERSION);
    jar("types.jar", Map.of("Old.class", type(ClassFile.JAVA_5_VERSION), "New.class", recent));
    Map<String, byte[]> found = bundle("types.jar");
    assertEquals(
        ClassFile.JAVA_25_VERSION, ClassFile.of().parse(found.get("Old.class")).majorVersion());
    assertEquals(List.of(), ClassFile.of().verify(found.get("Old.class")));
    assertEquals(new String(recent, UTF_8), new String(found.get("New.class"), UTF_8));
  }

  /// What runs is what was tested: no class of ours is rewritten, not even a record.
  @Test
  void ownClasses_stayAsTheyAre() throws IOException {
    String name = Shell.Result.class.getName().replace('.', '/') + ".class";
    byte[] compiled;
    try (var in = Shell.class.getResourceAsStream("/" + name)) {
      compiled = requireNonNull(in).readAllBytes();
    }
    jar("own.jar", Map.of(name, compiled));
    assertArrayEquals(compiled, bundle("own.jar").get(name));
  }

  /// A class with a branch, because only branches need stack maps.
  private static byte[] type(int version) {
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .build(
            ClassDesc.of("Old"),
            type ->
                type.withVersion(version, 0)
                    .withMethodBody(
                        "m",
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_STATIC,
                        code -> code.iconst_0().ifThen(then -> then.nop()).return_()));
  }
}
