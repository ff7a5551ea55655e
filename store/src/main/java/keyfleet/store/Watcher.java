package keyfleet.store;

/// Gets a hint when reading again may be worthwhile.
@FunctionalInterface
public interface Watcher {
  void onHint(ChangeHint hint);
}
