package keyfleet.sim.explore;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import org.jspecify.annotations.Nullable;

/// A node with its watchdog: `pending` is the order that it has read but not obeyed yet, `reported`
/// its last report.
public record WatchdogState(
    Node node, @Nullable DesiredState pending, StoreLink link, @Nullable NodeReport reported) {
  static WatchdogState idle(Node node) {
    return new WatchdogState(node, null, StoreLink.CONNECTED, null);
  }

  boolean isConnected() {
    return link == StoreLink.CONNECTED;
  }

  WatchdogState withPending(DesiredState desiredState) {
    return new WatchdogState(node, desiredState, link, reported);
  }

  /// A connected watchdog reports at once; a driver may observe the report as late as it likes.
  WatchdogState withNode(Node next, @Nullable DesiredState remaining) {
    return new WatchdogState(
        next, remaining, link, isConnected() ? Node.report(next).orElse(null) : reported);
  }

  WatchdogState withLink(StoreLink next) {
    return new WatchdogState(node, pending, next, reported).withNode(node, pending);
  }
}
