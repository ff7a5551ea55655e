package keyfleet.rollout.controller;

/// The progress of one node and its current attempt.
public record NodeEntry(NodeProgress progress, int attempt) {
  NodeEntry withProgress(NodeProgress next) {
    return new NodeEntry(next, attempt);
  }
}
