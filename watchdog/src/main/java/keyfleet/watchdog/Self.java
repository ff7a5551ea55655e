package keyfleet.watchdog;

import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;

/// Who a watchdog is: its node, what it supervises there, and the protocol it speaks.
public record Self(NodeId node, Component component, int protocol) {
  public Self {
    if (protocol < 1) {
      throw new IllegalArgumentException("a watchdog's protocol is at least 1, not " + protocol);
    }
  }
}
