package keyfleet.rollout.target;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/// Checks a regular expression before RE2/J compiles it, for two things that RE2/J does not do: it
/// gives the position of a refused construct, and it bounds the size of the program. RE2/J unrolls
/// `(x{1000}){1000}` to a million instructions, and one more level to a thousand million. It also
/// follows empty instructions by recursion, so `((){99}){99}` overflows the stack of a thread.
final class RegexChecker {
  static final int MAX_SIZE = 1_000;

  /// RE2/J folds the case of a wide range letter by letter: `(?i)[\x00-\x{FFFF}]` takes minutes.
  private static final Pattern FLAGS = Pattern.compile("\\(\\?[a-zA-OQ-Z-].*", Pattern.DOTALL);

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,4}(,[0-9]{0,4})?");

  /// An open group: where it starts, and the size of its content so far.
  private static final class Group {
    private final int start;
    private long size;
    private long last;

    Group(int start) {
      this.start = start;
    }

    void add(long atom) {
      size = Math.min(size + atom, Integer.MAX_VALUE);
      last = atom;
    }

    void repeatLast(int times) {
      long repeated = Math.min(last * Math.max(times, 1), Integer.MAX_VALUE);
      size = Math.min(size - last + repeated, Integer.MAX_VALUE);
      last = repeated;
    }
  }

  private final String regex;
  private final Deque<Group> groups = new ArrayDeque<>();
  private int position;

  private RegexChecker(String regex) {
    this.regex = regex;
    groups.push(new Group(0));
  }

  /// Throws a [TargetSyntaxException] if `regex` contains a refused construct.
  static void check(String regex) {
    RegexChecker scan = new RegexChecker(regex);
    while (scan.position < regex.length()) {
      scan.scanNext();
    }
    Group open = scan.groups.pop();
    if (!scan.groups.isEmpty()) {
      throw new TargetSyntaxException(open.start, "unclosed ( in the regex");
    }
  }

  private void scanNext() {
    switch (regex.charAt(position)) {
      case '\\' -> scanEscape();
      case '[' -> scanSet();
      case '(' -> openGroup();
      case ')' -> closeGroup();
      case '{' -> scanRepeat();
      default -> scanAtom(1);
    }
  }

  private void scanAtom(int length) {
    currentGroup().add(1);
    position += length;
  }

  private Group currentGroup() {
    return groups.element();
  }

  private void scanEscape() {
    if (regex.startsWith("\\Q", position)) {
      scanQuotation();
      return;
    }
    char next = position + 1 < regex.length() ? regex.charAt(position + 1) : '\\';
    if ("123456789kg".indexOf(next) >= 0) {
      throw new TargetSyntaxException(position, "backreferences are not supported");
    }
    scanAtom(2);
  }

  /// An empty quotation adds nothing: a count after it repeats what comes before it.
  private void scanQuotation() {
    int end = regex.indexOf("\\E", position + 2);
    int stop = end < 0 ? regex.length() : end;
    for (int i = position + 2; i < stop; i++) {
      currentGroup().add(1);
    }
    position = end < 0 ? stop : stop + 2;
  }

  private void scanSet() {
    int first = regex.startsWith("^", position + 1) ? position + 2 : position + 1;
    int end = first;
    while (end < regex.length() && (regex.charAt(end) != ']' || end == first)) {
      end = afterMember(end);
    }
    if (end >= regex.length()) {
      throw new TargetSyntaxException(position, "unclosed [ in the regex");
    }
    scanAtom(end + 1 - position);
  }

  private int afterMember(int member) {
    if (regex.startsWith("[:", member) && regex.indexOf(":]", member + 2) > 0) {
      return regex.indexOf(":]", member + 2) + 2;
    }
    return regex.charAt(member) == '\\' ? member + 2 : member + 1;
  }

  private void openGroup() {
    for (String construct : new String[] {"(?=", "(?!", "(?<=", "(?<!"}) {
      if (regex.startsWith(construct, position)) {
        throw new TargetSyntaxException(position, "lookaround is not supported");
      }
    }
    if (regex.startsWith("(?P=", position)) {
      throw new TargetSyntaxException(position, "backreferences are not supported");
    }
    if (FLAGS.matcher(regex.substring(position)).matches()) {
      throw new TargetSyntaxException(
          position, "flags are not supported: ids are matched as they are");
    }
    groups.push(new Group(position));
    position++;
  }

  private void closeGroup() {
    if (groups.size() == 1) {
      throw new TargetSyntaxException(position, "unmatched ) in the regex");
    }
    Group closed = groups.pop();
    currentGroup().add(closed.size + 1);
    checkSize();
    position++;
  }

  private void checkSize() {
    if (currentGroup().size > MAX_SIZE) {
      throw new TargetSyntaxException(
          position, "the regex repeats too much: more than " + MAX_SIZE + " steps");
    }
  }

  /// A brace without a count is an ordinary character.
  private void scanRepeat() {
    int end = regex.indexOf('}', position);
    int times = end < 0 ? -1 : repeatCount(regex.substring(position + 1, end));
    if (times < 0) {
      scanAtom(1);
      return;
    }
    currentGroup().repeatLast(times);
    checkSize();
    position = end + 1;
  }

  /// The larger bound of `n`, `n,` or `n,m`; -1 for anything else.
  private static int repeatCount(String count) {
    if (!COUNT.matcher(count).matches()) {
      return -1;
    }
    int comma = count.indexOf(',');
    if (comma < 0) {
      return Integer.parseInt(count);
    }
    int low = Integer.parseInt(count.substring(0, comma));
    String high = count.substring(comma + 1);
    return high.isEmpty() ? low + 1 : Math.max(low, Integer.parseInt(high));
  }
}
