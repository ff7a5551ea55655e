package keyfleet.store;

/// Who is told that reading again may be worth while.
@FunctionalInterface
public interface Watcher {
  void hint(Hint hint);
}
