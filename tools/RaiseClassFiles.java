import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;

/// Rewrites the classes of a jar for the class-file version of Java 25, with the stack maps that it
/// demands; their code stays as it is. Run by the launcher's build: `java RaiseClassFiles.java IN OUT`.
class RaiseClassFiles {
  private static final ClassTransform RAISE =
      ClassTransform.transformingMethodBodies((body, element) -> body.with(element))
          .andThen(ClassTransform.endHandler(type -> type.withVersion(ClassFile.JAVA_25_VERSION, 0)));

  public static void main(String[] args) throws IOException {
    Path from = Path.of(args[0]);
    try (var siblings = new URLClassLoader(new URL[] {from.toUri().toURL()});
        var in = new JarInputStream(Files.newInputStream(from));
        var out = new JarOutputStream(Files.newOutputStream(Path.of(args[1])))) {
      ClassFile classes = classes(siblings);
      for (JarEntry entry; (entry = in.getNextJarEntry()) != null; ) {
        String name = entry.getName();
        byte[] bytes = in.readAllBytes();
        boolean isClass = name.endsWith(".class") && !name.startsWith("META-INF/");
        out.putNextEntry(new JarEntry(name));
        out.write(isClass ? classes.transformClass(classes.parse(bytes), RAISE) : bytes);
      }
    }
  }

  /// A stack map names the common parent of two types, so the parents of all types must be found.
  private static ClassFile classes(ClassLoader siblings) {
    return ClassFile.of(
        StackMapsOption.GENERATE_STACK_MAPS,
        ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(siblings)));
  }
}
