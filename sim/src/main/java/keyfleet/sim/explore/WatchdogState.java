package keyfleet.sim.explore;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import org.jspecify.annotations.Nullable;

/// A node with its watchdog: `read` is what it has read and not acted on yet, `reported` what it
/// could last say.
public record WatchdogState(
    Node node, @Nullable DesiredState pending, StoreLink storeLink, @Nullable NodeReport reported) {
  static WatchdogState idle(Node node) {
    return new WatchdogState(node, null, StoreLink.CONNECTED, null);
  }

  boolean isConnected() {
    return storeLink == StoreLink.CONNECTED;
  }

  WatchdogState withPending(DesiredState desiredState) {
    return new WatchdogState(node, desiredState, storeLink, reported);
  }

  /// Whoever can report does so at once: a driver may look as late as it likes.
  WatchdogState withNode(Node next, @Nullable DesiredState remaining) {
    return new WatchdogState(
        next, remaining, storeLink, isConnected() ? Node.report(next).orElse(null) : reported);
  }

  WatchdogState withLink(StoreLink next) {
    return new WatchdogState(node, pending, next, reported).withNode(node, pending);
  }
}
