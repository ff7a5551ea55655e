package keyfleet.rollout;

/// What a node is and runs, as the rules for a release need it. `floor` is the highest release
/// counter that the node has confirmed for the component.
public record NodeSoftware(Platform platform, Version running, int protocol, long floor) {}
