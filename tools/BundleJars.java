import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/// Bundles the jars of a class path into one jar with what a class loader of this JDK finds in them:
/// of several entries with one name the first, of several versions of a class the one for this JDK,
/// and the service lists of all jars. Class files that are too old for an AOT cache are converted to
/// Java 25; all others, our own among them, keep their bytes, so what runs is what was tested.
///
/// Run by the launcher's build: `java BundleJars.java OUT JAR…`.
final class BundleJars implements AutoCloseable {
  private static final String SERVICES = "META-INF/services/";

  /// Not read through the class loader, or, as native libraries, unpacked beside the jars.
  private static final List<String> EXCLUDED =
      List.of("META-INF/MANIFEST.MF", "META-INF/INDEX.LIST", "META-INF/maven/", "org/sqlite/native/");

  private static final List<String> SIGNATURES = List.of(".SF", ".RSA", ".DSA", ".EC");

  /// The first version with stack maps; an AOT cache does not accept older class files.
  private static final int MIN_VERSION = ClassFile.JAVA_6_VERSION;

  private static final ClassTransform CONVERT_TO_JAVA_25 =
      ClassTransform.transformingMethodBodies((body, element) -> body.with(element))
          .andThen(ClassTransform.endHandler(type -> type.withVersion(ClassFile.JAVA_25_VERSION, 0)));

  private final JarOutputStream out;
  private final ClassFile classes;
  private final Set<String> names = new HashSet<>();
  private final Map<String, StringBuilder> services = new TreeMap<>();

  private BundleJars(JarOutputStream out, ClassLoader all) {
    this.out = out;
    // A stack map names the common supertype of two types, so all supertypes must be found.
    this.classes =
        ClassFile.of(
            StackMapsOption.GENERATE_STACK_MAPS,
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(all)));
  }

  public static void main(String[] args) throws IOException {
    List<Path> jars = Arrays.stream(args).skip(1).map(Path::of).toList();
    URL[] urls = jars.stream().map(Path::toUri).map(BundleJars::url).toArray(URL[]::new);
    try (var all = new URLClassLoader(urls);
        var bundle =
            new BundleJars(new JarOutputStream(Files.newOutputStream(Path.of(args[0]))), all)) {
      for (Path jar : jars) {
        bundle.add(jar);
      }
    }
  }

  private static URL url(URI uri) {
    try {
      return uri.toURL();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(Path path) throws IOException {
    try (var jar = new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
      for (JarEntry entry : jar.versionedStream().filter(BundleJars::isWanted).toList()) {
        byte[] bytes = jar.getInputStream(entry).readAllBytes();
        String name = entry.getName();
        if (name.startsWith(SERVICES)) {
          String lines = new String(bytes, StandardCharsets.UTF_8);
          services.computeIfAbsent(name, _ -> new StringBuilder()).append(lines).append('\n');
        } else if (names.add(name)) {
          write(name, name.endsWith(".class") ? convert(bytes) : bytes);
        }
      }
    }
  }

  private static boolean isWanted(JarEntry entry) {
    String name = entry.getName();
    boolean isSignature =
        name.startsWith("META-INF/") && SIGNATURES.stream().anyMatch(name::endsWith);
    return !entry.isDirectory()
        && !isSignature
        && !name.equals("module-info.class")
        && EXCLUDED.stream().noneMatch(name::startsWith);
  }

  private byte[] convert(byte[] bytes) {
    return isOld(bytes) ? classes.transformClass(classes.parse(bytes), CONVERT_TO_JAVA_25) : bytes;
  }

  /// The major version is in bytes 6 and 7.
  private static boolean isOld(byte[] bytes) {
    return ((bytes[6] & 0xff) << 8 | bytes[7] & 0xff) < MIN_VERSION;
  }

  /// Not compressed: otherwise every start would decompress it.
  private void write(String name, byte[] bytes) throws IOException {
    JarEntry entry = new JarEntry(name);
    CRC32 checksum = new CRC32();
    checksum.update(bytes);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(bytes.length);
    entry.setCrc(checksum.getValue());
    out.putNextEntry(entry);
    out.write(bytes);
  }

  @Override
  public void close() throws IOException {
    for (var service : services.entrySet()) {
      write(service.getKey(), service.getValue().toString().getBytes(StandardCharsets.UTF_8));
    }
    out.close();
  }
}
