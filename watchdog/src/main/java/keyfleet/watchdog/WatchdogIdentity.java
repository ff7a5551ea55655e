package keyfleet.watchdog;

import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.target.Facts;

/// What identifies a watchdog: its node, the component that it supervises, the protocol that it
/// speaks, and the facts by which targets select the node.
public record WatchdogIdentity(NodeId node, Component component, int protocol, Facts facts) {
  public WatchdogIdentity {
    if (protocol < 1) {
      throw new IllegalArgumentException("a watchdog's protocol is at least 1, not " + protocol);
    }
  }
}
