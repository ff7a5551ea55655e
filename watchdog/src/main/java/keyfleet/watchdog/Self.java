package keyfleet.watchdog;

import keyfleet.rollout.Component;
import keyfleet.rollout.Facts;
import keyfleet.rollout.NodeId;

/// Who a watchdog is: its node, what it supervises there, the protocol it speaks, and what it says
/// of its node, by which targets choose.
public record Self(NodeId node, Component component, int protocol, Facts facts) {
  public Self {
    if (protocol < 1) {
      throw new IllegalArgumentException("a watchdog's protocol is at least 1, not " + protocol);
    }
  }
}
