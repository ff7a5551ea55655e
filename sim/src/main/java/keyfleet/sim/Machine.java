package keyfleet.sim;

import keyfleet.rollout.Desired;
import keyfleet.rollout.Node;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Vitals.Link;
import org.jspecify.annotations.Nullable;

/// A node with its watchdog: `read` is what it has read and not acted on yet, `reported` what it
/// could last say.
public record Machine(Node node, @Nullable Desired read, Link link, @Nullable NodeReport reported) {
  static Machine fresh(Node node) {
    return new Machine(node, null, Link.CONNECTED, null);
  }

  boolean isConnected() {
    return link == Link.CONNECTED;
  }

  Machine reading(Desired desired) {
    return new Machine(node, desired, link, reported);
  }

  /// Whoever can report does so at once: a driver may look as late as it likes.
  Machine become(Node next, @Nullable Desired left) {
    return new Machine(next, left, link, isConnected() ? Node.report(next).orElse(null) : reported);
  }

  Machine linked(Link next) {
    return new Machine(node, read, next, reported).become(node, read);
  }
}
