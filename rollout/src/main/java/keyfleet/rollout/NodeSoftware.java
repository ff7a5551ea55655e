package keyfleet.rollout;

/// A node's platform, version and protocol, as the release rules need them. `floor` is the highest
/// release counter that the node has confirmed for the component.
public record NodeSoftware(Platform platform, Version running, int protocol, long floor) {}
