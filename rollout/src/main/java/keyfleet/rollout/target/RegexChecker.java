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
  private int at;

  private RegexChecker(String regex) {
    this.regex = regex;
    groups.push(new Group(0));
  }

  /// Throws a [TargetSyntaxException] if `regex` contains a refused construct.
  static void check(String regex) {
    RegexChecker scan = new RegexChecker(regex);
    while (scan.at < regex.length()) {
      scan.step();
    }
    Group open = scan.groups.pop();
    if (!scan.groups.isEmpty()) {
      throw new TargetSyntaxException(open.start, "unclosed ( in the regex");
    }
  }

  private void step() {
    switch (regex.charAt(at)) {
      case '\\' -> escape();
      case '[' -> set();
      case '(' -> open();
      case ')' -> close();
      case '{' -> repeat();
      default -> atom(1);
    }
  }

  private void atom(int length) {
    group().add(1);
    at += length;
  }

  private Group group() {
    return groups.element();
  }

  private void escape() {
    if (regex.startsWith("\\Q", at)) {
      quotation();
      return;
    }
    char next = at + 1 < regex.length() ? regex.charAt(at + 1) : '\\';
    if ("123456789kg".indexOf(next) >= 0) {
      throw new TargetSyntaxException(at, "backreferences are not supported");
    }
    atom(2);
  }

  /// An empty quotation adds nothing: a count after it repeats what comes before it.
  private void quotation() {
    int end = regex.indexOf("\\E", at + 2);
    int stop = end < 0 ? regex.length() : end;
    for (int i = at + 2; i < stop; i++) {
      group().add(1);
    }
    at = end < 0 ? stop : stop + 2;
  }

  private void set() {
    int first = regex.startsWith("^", at + 1) ? at + 2 : at + 1;
    int end = first;
    while (end < regex.length() && (regex.charAt(end) != ']' || end == first)) {
      end = afterMember(end);
    }
    if (end >= regex.length()) {
      throw new TargetSyntaxException(at, "unclosed [ in the regex");
    }
    atom(end + 1 - at);
  }

  private int afterMember(int member) {
    if (regex.startsWith("[:", member) && regex.indexOf(":]", member + 2) > 0) {
      return regex.indexOf(":]", member + 2) + 2;
    }
    return regex.charAt(member) == '\\' ? member + 2 : member + 1;
  }

  private void open() {
    for (String look : new String[] {"(?=", "(?!", "(?<=", "(?<!"}) {
      if (regex.startsWith(look, at)) {
        throw new TargetSyntaxException(at, "lookaround is not supported");
      }
    }
    if (regex.startsWith("(?P=", at)) {
      throw new TargetSyntaxException(at, "backreferences are not supported");
    }
    if (FLAGS.matcher(regex.substring(at)).matches()) {
      throw new TargetSyntaxException(at, "flags are not supported: ids are matched as they are");
    }
    groups.push(new Group(at));
    at++;
  }

  private void close() {
    if (groups.size() == 1) {
      throw new TargetSyntaxException(at, "unmatched ) in the regex");
    }
    Group closed = groups.pop();
    group().add(closed.size + 1);
    checkSize();
    at++;
  }

  private void checkSize() {
    if (group().size > MAX_SIZE) {
      throw new TargetSyntaxException(
          at, "the regex repeats too much: more than " + MAX_SIZE + " steps");
    }
  }

  /// A brace without a count is an ordinary character.
  private void repeat() {
    int end = regex.indexOf('}', at);
    int times = end < 0 ? -1 : times(regex.substring(at + 1, end));
    if (times < 0) {
      atom(1);
      return;
    }
    group().repeatLast(times);
    checkSize();
    at = end + 1;
  }

  /// The larger bound of `n`, `n,` or `n,m`; -1 for anything else.
  private static int times(String count) {
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
