import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
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

/// Puts the jars of a class path into one, with what a class loader of this JDK would find in them: of
/// several entries with one name the first, of several versions of a class the one for this JDK, of
/// lists of services all. Class files that are too old for an AOT cache are raised to Java 25, and of
/// our own classes the calls are made plain that it cannot keep.
///
/// Run by the launcher's build: `java BundleJars.java OUT JAR…`.
final class BundleJars implements AutoCloseable {
  private static final String SERVICES = "META-INF/services/";
  private static final String OWN = "keyfleet/";

  /// Nobody asks the class loader for these; a library that is unpacked beside the jars is not needed.
  private static final List<String> LEFT_OUT =
      List.of("META-INF/MANIFEST.MF", "META-INF/INDEX.LIST", "META-INF/maven/", "org/sqlite/native/");

  private static final List<String> SIGNATURES = List.of(".SF", ".RSA", ".DSA", ".EC");

  /// The first class files with stack maps; older ones no AOT cache takes.
  private static final int OLDEST = ClassFile.JAVA_6_VERSION;

  private static final ClassTransform RAISE =
      ClassTransform.transformingMethodBodies((body, element) -> body.with(element))
          .andThen(ClassTransform.endHandler(type -> type.withVersion(ClassFile.JAVA_25_VERSION, 0)));

  private final JarOutputStream out;
  private final ClassFile classes;
  private final Set<String> names = new HashSet<>();
  private final Map<String, StringBuilder> services = new TreeMap<>();

  private BundleJars(JarOutputStream out, ClassLoader all) {
    this.out = out;
    // A stack map names the common parent of two types, so the parents of all types must be found.
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
          write(name, name.endsWith(".class") ? prepared(name, bytes) : bytes);
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
        && LEFT_OUT.stream().noneMatch(name::startsWith);
  }

  /// Of the libraries' classes all stay as they are that can.
  private byte[] prepared(String name, byte[] bytes) {
    if (name.startsWith(OWN)) {
      ClassModel model = classes.parse(bytes);
      return classes.transformClass(model, PlainCalls.of(model));
    }
    return isOld(bytes) ? classes.transformClass(classes.parse(bytes), RAISE) : bytes;
  }

  /// The major version stands in bytes 6 and 7.
  private static boolean isOld(byte[] bytes) {
    return ((bytes[6] & 0xff) << 8 | bytes[7] & 0xff) < OLDEST;
  }

  /// Not compressed: it would be unpacked again at every start.
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
