package keyfleet.it.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.Name;
import keyfleet.it.architecture.SourceFile.Use;

/// Rules about the shape of files, types, methods and fields.
final class CodeShape {
  private static final int FILE_LINES = 500;
  private static final int METHOD_LINES = 70;
  private static final int COLLABORATORS = 5;
  private static final int PACKAGE_TYPES = 40;

  private static final String VAGUE_NAME =
      ".*(Manager|Helpers?|Utils?|Impl)|(Abstract|Base)[A-Z].*";

  private CodeShape() {}

  static Stream<RuleViolation> fileLengths(SourceFile file) {
    int lines = file.isJava() ? file.lines().size() : 0;
    return lines > FILE_LINES
        ? Stream.of(file.violation(lines, "a file has at most " + FILE_LINES + " lines"))
        : Stream.empty();
  }

  static Stream<RuleViolation> methodLengths(SourceFile file) {
    return methods(
        file,
        (_, method) -> file.lastLine(method) - file.line(method) >= METHOD_LINES,
        "has over " + METHOD_LINES + " lines");
  }

  static Stream<RuleViolation> typeNames(SourceFile file) {
    return file.types().stream()
        .filter(type -> type.getSimpleName().toString().matches(VAGUE_NAME))
        .map(type ->
            file.violation(
                type, type.getSimpleName() + " could name any class; say what this one does"));
  }

  static Stream<RuleViolation> repeatedNames(List<SourceFile> tree) {
    Map<String, String> first = new HashMap<>();
    List<RuleViolation> violations = new ArrayList<>();
    for (SourceFile file : tree) {
      for (ClassTree type : file.topLevelTypes()) {
        String name = type.getSimpleName().toString();
        String other = first.putIfAbsent(name, file.path());
        if (other != null) {
          violations.add(file.violation(type, name + " is also the name of a type in " + other));
        }
      }
    }
    return violations.stream();
  }

  static Stream<RuleViolation> packageSizes(List<SourceFile> tree) {
    Map<String, Integer> sizes = new TreeMap<>();
    tree.stream()
        .filter(SourceFile::isMain)
        .forEach(file -> sizes.merge(file.folder(), file.topLevelTypes().size(), Integer::sum));
    return sizes.entrySet().stream()
        .filter(it -> it.getValue() > PACKAGE_TYPES)
        .map(it ->
            new RuleViolation(
                it.getKey(),
                1,
                "%d types in one package; at most %d".formatted(it.getValue(), PACKAGE_TYPES)));
  }

  static Stream<RuleViolation> testNames(SourceFile file) {
    return methods(
        file,
        (_, method) -> isAnnotated(method, ".*Test.*") && isNamed(method, "test.*"),
        "begins with test; name it situation_outcome");
  }

  static Stream<RuleViolation> getters(SourceFile file) {
    return methods(
        file,
        (_, method) ->
            isNamed(method, "get[A-Z].*")
                && method.getParameters().isEmpty()
                && !isAnnotated(method, "Override"),
        "is a getter; name it after its value");
  }

  static Stream<RuleViolation> booleanParameters(SourceFile file) {
    return methods(
        file,
        (type, method) ->
            isPublic(type, method)
                && !isAnnotated(method, "Override")
                && !(isConstructor(method) && type.getKind() == Tree.Kind.RECORD)
                && method.getParameters().stream().anyMatch(it -> hasType(it, "[bB]oolean")),
        "takes a boolean; take an enum, or write two methods");
  }

  static Stream<RuleViolation> optionals(SourceFile file) {
    Stream<VariableTree> parameters =
        file.types().stream()
            .flatMap(type -> members(type, MethodTree.class))
            .flatMap(method -> method.getParameters().stream());
    Stream<VariableTree> fields =
        file.types().stream().flatMap(type -> members(type, VariableTree.class));
    return Stream.concat(fields, parameters)
        .filter(variable -> hasType(variable, "(java\\.util\\.)?Optional(Int|Long|Double)?(<.*)?"))
        .map(variable -> file.violation(variable, variable.getName() + " is Optional"));
  }

  static Stream<RuleViolation> arrayComponents(SourceFile file) {
    return file.types().stream()
        .filter(type -> type.getKind() == Tree.Kind.RECORD)
        .flatMap(CodeShape::instanceFields)
        .filter(component -> hasType(component, "(byte|char)\\b.*\\[]"))
        .map(component ->
            file.violation(component, component.getName() + " is an array in a record"));
  }

  static Stream<RuleViolation> constructors(SourceFile file) {
    return methods(
        file,
        (type, method) ->
            file.isMain()
                && isConstructor(method)
                && isClass(type)
                && method.getParameters().size() > COLLABORATORS,
        "has over " + COLLABORATORS + " parameters");
  }

  /// A collaborator is a field that can act: a class or an interface of this project, or a
  /// function. Records and enums are data.
  static Stream<RuleViolation> collaborators(List<SourceFile> tree) {
    List<SourceFile> main = tree.stream().filter(SourceFile::isMain).toList();
    Set<String> ours =
        main.stream()
            .flatMap(file -> file.types().stream())
            .filter(type -> isClass(type) || type.getKind() == Tree.Kind.INTERFACE)
            .map(type -> type.getSimpleName().toString())
            .collect(Collectors.toSet());
    return main.stream()
        .flatMap(file ->
            file.types().stream()
                .filter(
                    type -> isClass(type) && collaboratorCount(file, type, ours) > COLLABORATORS)
                .map(type ->
                    file.violation(
                        type,
                        type.getSimpleName()
                            + " works with more than "
                            + COLLABORATORS
                            + " others")));
  }

  private static long collaboratorCount(SourceFile file, ClassTree type, Set<String> ours) {
    Set<String> names = file.uses().stream().map(Use::name).collect(Collectors.toSet());
    return instanceFields(type)
        .flatMap(field -> SourceFile.dotted(field.getType()).stream())
        .map(name -> name.substring(name.lastIndexOf('.') + 1))
        .filter(name -> ours.contains(name) || names.contains("java.util.function." + name))
        .count();
  }

  private static Stream<RuleViolation> methods(
      SourceFile file, BiPredicate<ClassTree, MethodTree> bad, String message) {
    return file.types().stream()
        .flatMap(type ->
            members(type, MethodTree.class)
                .filter(method -> bad.test(type, method))
                .map(method -> file.violation(method, name(type, method) + " " + message)));
  }

  private static <T extends Tree> Stream<T> members(ClassTree type, Class<T> kind) {
    return type.getMembers().stream().filter(kind::isInstance).map(kind::cast);
  }

  /// Of a record, its components.
  private static Stream<VariableTree> instanceFields(ClassTree type) {
    return members(type, VariableTree.class)
        .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC));
  }

  private static boolean isClass(ClassTree type) {
    return type.getKind() == Tree.Kind.CLASS;
  }

  private static boolean isConstructor(MethodTree method) {
    return method.getReturnType() == null;
  }

  private static Name name(ClassTree type, MethodTree method) {
    return isConstructor(method) ? type.getSimpleName() : method.getName();
  }

  private static boolean isNamed(MethodTree method, String pattern) {
    return method.getName().toString().matches(pattern);
  }

  private static boolean hasType(VariableTree variable, String type) {
    return variable.getType().toString().matches(type);
  }

  private static boolean isAnnotated(MethodTree method, String pattern) {
    return method.getModifiers().getAnnotations().stream()
        .anyMatch(annotation -> annotation.getAnnotationType().toString().matches(pattern));
  }

  private static boolean isPublic(ClassTree type, MethodTree method) {
    Set<Modifier> flags = method.getModifiers().getFlags();
    boolean byInterface =
        type.getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE);
    return type.getModifiers().getFlags().contains(Modifier.PUBLIC)
        && (byInterface || flags.contains(Modifier.PUBLIC));
  }
}
