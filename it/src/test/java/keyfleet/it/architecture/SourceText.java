package keyfleet.it.architecture;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Rules about the text of comments, literals and documents.
final class SourceText {
  /// Written as regular expressions, so that this file does not match itself.
  private static final Pattern MACHINE =
      Pattern.compile(
          "/(root|work|farm)/|/home/\\w|/tmp/(out)"
              + "|\\b(repo1\\.maven\\.org|repo\\.maven\\.apache\\.org|registry\\.npmjs\\.org"
              + "|pypi\\.org|proxy\\.golang\\.org|deb\\.debian\\.org|crates\\.io)\\b");

  private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|XXX)\\b|@author\\b");

  private static final Pattern SENTENCE_END = Pattern.compile("[.!?](\\s|$)");

  private SourceText() {}

  static Stream<RuleViolation> machinePaths(SourceFile file) {
    List<String> lines = file.lines();
    return IntStream.range(0, lines.size())
        .filter(i -> MACHINE.matcher(lines.get(i)).find())
        .mapToObj(i ->
            file.violation(
                i + 1, "names a folder or host of one machine: " + lines.get(i).strip()));
  }

  static Stream<RuleViolation> comments(SourceFile file) {
    return file.comments().stream()
        .flatMap(comment ->
            UNFINISHED
                .matcher(comment.text())
                .results()
                .map(mark -> file.violation(comment.line(), mark.group() + " in a comment")));
  }

  static Stream<RuleViolation> packageDocs(List<SourceFile> tree) {
    Set<String> documented =
        tree.stream()
            .filter(SourceText::isPackageDoc)
            .map(SourceFile::path)
            .collect(Collectors.toSet());
    return tree.stream()
        .filter(SourceFile::isMain)
        .map(file -> file.folder() + "package-info.java")
        .distinct()
        .filter(path -> !documented.contains(path))
        .map(path ->
            new RuleViolation(
                path, 1, "a package needs @NullMarked and a description of two sentences"));
  }

  private static boolean isPackageDoc(SourceFile file) {
    long sentences =
        file.comments().stream()
            .filter(comment -> comment.text().matches("(?s)(///|/\\*\\*).*"))
            .flatMap(comment -> SENTENCE_END.matcher(comment.text()).results())
            .count();
    return file.path().endsWith("/package-info.java")
        && file.uses().stream().anyMatch(use -> use.name().equals("NullMarked"))
        && sentences >= 2;
  }
}
