package keyfleet.rollout.controller;

/// The progress of one node and its current attempt.
public record NodeEntry(NodeProgress standing, int attempt) {
  NodeEntry in(NodeProgress next) {
    return new NodeEntry(next, attempt);
  }
}
