package keyfleet.store.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Key;
import keyfleet.store.Prefix;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;

/// The open watches of a client that learns of the changes of all buckets from one source. Hints
/// are delivered on the caller's thread, in the order in which the watches were opened.
public final class WatchSubscriptions implements AutoCloseable {
  private record Selection(String bucket, Prefix prefix, WatchSubscription subscription) {}

  private final List<Selection> selections = new CopyOnWriteArrayList<>();

  public Watch add(Bucket bucket, Prefix prefix, Watcher watcher) {
    Selection added = new Selection(bucket.name(), prefix, new WatchSubscription(watcher));
    selections.add(added);
    return () -> {
      added.subscription().close();
      selections.remove(added);
    };
  }

  public boolean isEmpty() {
    return selections.isEmpty();
  }

  public void deliverChange(String bucket, Key key) {
    for (Selection it : selections) {
      if (it.bucket().equals(bucket) && it.prefix().matches(key)) {
        it.subscription().deliver(new Changed(key));
      }
    }
  }

  public void deliverMissed() {
    selections.forEach(it -> it.subscription().deliver(new Missed()));
  }

  @Override
  public void close() {
    selections.forEach(it -> it.subscription().close());
    selections.clear();
  }
}
