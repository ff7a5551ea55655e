package keyfleet.sim;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import org.jspecify.annotations.Nullable;

/// A node with its watchdog: `read` is what it has read and not acted on yet, `reported` what it
/// could last say.
public record Machine(
    Node node, @Nullable DesiredState read, StoreLink storeLink, @Nullable NodeReport reported) {
  static Machine fresh(Node node) {
    return new Machine(node, null, StoreLink.CONNECTED, null);
  }

  boolean isConnected() {
    return storeLink == StoreLink.CONNECTED;
  }

  Machine reading(DesiredState desiredState) {
    return new Machine(node, desiredState, storeLink, reported);
  }

  /// Whoever can report does so at once: a driver may look as late as it likes.
  Machine become(Node next, @Nullable DesiredState left) {
    return new Machine(
        next, left, storeLink, isConnected() ? Node.report(next).orElse(null) : reported);
  }

  Machine linked(StoreLink next) {
    return new Machine(node, read, next, reported).become(node, read);
  }
}
