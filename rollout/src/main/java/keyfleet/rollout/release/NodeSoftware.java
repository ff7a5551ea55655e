package keyfleet.rollout.release;

import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;

/// A node's platform, version and protocol, as the release rules need them. `floor` is the highest
/// release counter that the node has confirmed for the component.
public record NodeSoftware(Platform platform, ReleaseVersion running, int protocol, long floor) {}
