package keyfleet.it.architecture;

import static com.sun.source.tree.MemberReferenceTree.ReferenceMode.NEW;

import com.sun.source.tree.AnnotatedTypeTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// A text file of the repository, known by its path from the root. Java is parsed but not
/// attributed: a rule sees names as they are written. Other texts have only lines.
final class SourceFile {
  /// A name as written, with all its dots: an import, a type, a call (`System.exit`), a method
  /// reference (`System::exit` becomes `System.exit`), or a construction (`Random.new`).
  record Use(String name, int line) {}

  record Comment(String text, int line) {}

  private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

  /// Literals are matched too, because a literal may contain text that looks like a comment.
  private static final Pattern COMMENT =
      Pattern.compile(
          "(?s)\"\"\".*?(?<!\\\\)\"\"\"" // a text block
              + "|\"(\\\\.|[^\"\\\\])*+\"" // a string
              + "|'(\\\\.|[^'\\\\])*+'" // a character
              + "|(?<comment>//[^\n]*|/[*].*?[*]/)");

  private final String path;
  private final String text;
  private final CompilationUnitTree unit;
  private final SourcePositions positions;
  private final List<Use> uses = new ArrayList<>();
  private final List<ClassTree> types = new ArrayList<>();

  private SourceFile(Text source, CompilationUnitTree unit, SourcePositions positions) {
    this.path = source.path;
    this.text = source.text;
    this.unit = unit;
    this.positions = positions;
    new Collector().scan(unit, null);
  }

  /// Parses all files in one task, because starting a task takes longer than parsing a file.
  static List<SourceFile> parse(List<Text> sources) {
    var errors = new DiagnosticCollector<JavaFileObject>();
    var task = (JavacTask) JAVAC.getTask(null, null, errors, null, null, sources);
    var parsed = new ArrayList<SourceFile>();
    try {
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        parsed.add(new SourceFile(sources.get(parsed.size()), unit, positions));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!errors.getDiagnostics().isEmpty()) {
      throw new IllegalArgumentException("not Java: " + errors.getDiagnostics());
    }
    return parsed;
  }

  String path() {
    return path;
  }

  /// The module's folder.
  String module() {
    return path.split("/", 2)[0];
  }

  String folder() {
    return path.substring(0, path.lastIndexOf('/') + 1);
  }

  String packageName() {
    return unit.getPackage() == null ? "" : unit.getPackage().getPackageName().toString();
  }

  boolean isJava() {
    return path.endsWith(".java");
  }

  boolean isMain() {
    return isJava() && path.contains("/src/main/");
  }

  boolean isTest() {
    return isJava() && !isMain();
  }

  List<String> lines() {
    return text.lines().toList();
  }

  List<Use> uses() {
    return uses;
  }

  /// Every declared type, including nested and local types.
  List<ClassTree> types() {
    return types;
  }

  List<ClassTree> topLevelTypes() {
    return unit.getTypeDecls().stream()
        .filter(ClassTree.class::isInstance)
        .map(ClassTree.class::cast)
        .toList();
  }

  List<Comment> comments() {
    return COMMENT
        .matcher(isJava() ? text : "")
        .results()
        .filter(found -> found.group("comment") != null)
        .map(found -> new Comment(found.group("comment"), lineAt(found.start())))
        .toList();
  }

  RuleViolation violation(int line, String message) {
    return new RuleViolation(path, line, message);
  }

  RuleViolation violation(Tree tree, String message) {
    return violation(line(tree), message);
  }

  /// One violation for each line that uses a name of `names`.
  Stream<RuleViolation> violationsOf(Predicate<String> names, String message) {
    return uses.stream()
        .filter(use -> names.test(use.name))
        .map(use -> violation(use.line, use.name + " " + message))
        .distinct();
  }

  int line(Tree tree) {
    return lineAt(positions.getStartPosition(unit, tree));
  }

  int lastLine(Tree tree) {
    return lineAt(positions.getEndPosition(unit, tree));
  }

  private int lineAt(long position) {
    return (int) unit.getLineMap().getLineNumber(position);
  }

  /// `a.b.C` for a name or a type, without type arguments; empty for other expressions.
  static Optional<String> dotted(Tree tree) {
    return switch (tree) {
      case IdentifierTree name -> Optional.of(name.getName().toString());
      case MemberSelectTree select ->
          dotted(select.getExpression()).map(left -> left + "." + select.getIdentifier());
      case MemberReferenceTree method ->
          dotted(method.getQualifierExpression())
              .map(left -> left + "." + (method.getMode() == NEW ? "new" : method.getName()));
      case ParameterizedTypeTree generic -> dotted(generic.getType());
      case AnnotatedTypeTree annotated -> dotted(annotated.getUnderlyingType());
      default -> Optional.empty();
    };
  }

  @Override
  public String toString() {
    return path + ": " + text;
  }

  private final class Collector extends TreeScanner<@Nullable Void, @Nullable Void> {
    @Override
    public @Nullable Void scan(@Nullable Tree tree, @Nullable Void unused) {
      switch (tree) {
        case PackageTree own -> {
          return scan(own.getAnnotations(), null);
        }
        case ClassTree type -> types.add(type);
        case NewClassTree made ->
            dotted(made.getIdentifier()).ifPresent(type -> use(type + ".new", made));
        case MemberReferenceTree method -> dotted(method).ifPresent(name -> use(name, method));
        case IdentifierTree name -> use(name.getName().toString(), name);
        case MemberSelectTree select -> {
          Optional<String> name = dotted(select);
          use(name.orElse(select.getIdentifier().toString()), select);
          if (name.isPresent()) {
            return null;
          }
        }
        case null, default -> {}
      }
      return super.scan(tree, null);
    }

    private void use(String name, Tree tree) {
      uses.add(new Use(name, line(tree)));
    }
  }

  /// A file before parsing. The parser sees a file that is not Java as empty.
  static final class Text extends SimpleJavaFileObject {
    private final String path;
    private final String text;

    Text(String path, String text) {
      super(URI.create("memory:/" + path), Kind.SOURCE);
      this.path = path;
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return path.endsWith(".java") ? text : "";
    }
  }
}
