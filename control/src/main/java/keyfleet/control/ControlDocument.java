package keyfleet.control;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.DriverView;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.StopCause;
import keyfleet.rollout.controller.StopOrder;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.store.Document;
import keyfleet.store.MalformedException;
import keyfleet.store.Value;

/// Where a rollout stands, as its `ctl` key has it. It holds no time: what a driver waits for is in
/// its memory alone. Nodes are listed by standing; an attempt is named where it is not the first.
final class ControlDocument {
  private ControlDocument() {}

  /// `nonce` is of this write alone.
  static Value of(Rollout rollout, String nonce) {
    RolloutRun run = rollout.run();
    Document.Builder builder =
        Document.builder()
            .text("nonce", nonce)
            .text("incarnation", run.spec().incarnation())
            .document("lead", TaskDocument.of(run.lead()))
            .number("passed", run.ledger().passed())
            .number("kept", run.ledger().kept());
    state(builder, rollout);
    return builder
        .document("nodes", nodes(run))
        .document("attempts", attempts(run))
        .documents("excluded", run.ledger().excluded().stream().map(ExclusionDocument::of).toList())
        .build()
        .toValue();
  }

  /// Whether both would be stored alike; a driver's memory is not.
  static boolean isSame(Rollout one, Rollout other) {
    return blank(one).equals(blank(other));
  }

  private static Rollout blank(Rollout rollout) {
    return rollout.with(rollout.run().remembering(DriverView.blank(Duration.ZERO)));
  }

  /// The state's name, as people and scripts know it.
  static String word(Rollout rollout) {
    return switch (rollout) {
      case Rollout.Created _ -> "created";
      case Rollout.Rolling _ -> "rolling";
      case Rollout.Paused _ -> "paused";
      case Rollout.Aborting _ -> "aborting";
      case Rollout.Aborted _ -> "aborted";
      case Rollout.RolledBack _ -> "rolled_back";
      case Rollout.Completed _ -> "completed";
    };
  }

  private static void state(Document.Builder builder, Rollout rollout) {
    builder.text("state", word(rollout));
    switch (rollout) {
      case Rollout.Paused(_, var cause) -> builder.text("cause", TaskDocument.word(cause));
      case Rollout.Aborted(_, var cause) -> builder.text("cause", TaskDocument.word(cause));
      case Rollout.Aborting(_, var recall) ->
          builder
              .text("cause", TaskDocument.word(recall.cause()))
              .text("goal", TaskDocument.word(recall.goal()))
              .number("fence", recall.fence());
      case Rollout.Created _, Rollout.Rolling _, Rollout.RolledBack _, Rollout.Completed _ -> {}
    }
  }

  private static Document nodes(RolloutRun run) {
    Document.Builder builder = Document.builder();
    for (NodeProgress standing : NodeProgress.values()) {
      List<String> nodes =
          run.ledger().places().entrySet().stream()
              .filter(it -> it.getValue().standing() == standing)
              .map(it -> it.getKey().value())
              .toList();
      if (!nodes.isEmpty()) {
        builder.texts(TaskDocument.word(standing), nodes);
      }
    }
    return builder.build();
  }

  private static Document attempts(RolloutRun run) {
    Document.Builder builder = Document.builder();
    for (Map.Entry<NodeId, NodeEntry> it : run.ledger().places().entrySet()) {
      if (it.getValue().attempt() != run.spec().attempt()) {
        builder.number(it.getKey().value(), it.getValue().attempt());
      }
    }
    return builder.build();
  }

  static Rollout read(RolloutSpec spec, Value value) {
    return Document.parse(value).as(document -> read(spec, document));
  }

  private static Rollout read(RolloutSpec spec, Document document) {
    if (!document.text("incarnation").equals(spec.incarnation())) {
      throw new MalformedException("rollout " + spec.id() + " is of another incarnation");
    }
    RolloutRun run =
        RolloutRun.of(spec, TaskDocument.lead(document.document("lead")), ledger(spec, document));
    return switch (document.text("state")) {
      case "created" -> new Rollout.Created(run);
      case "rolling" -> new Rollout.Rolling(run);
      case "paused" -> new Rollout.Paused(run, cause(document));
      case "aborting" -> new Rollout.Aborting(run, recall(document));
      case "aborted" -> new Rollout.Aborted(run, cause(document));
      case "rolled_back" -> new Rollout.RolledBack(run);
      case "completed" -> new Rollout.Completed(run);
      default -> throw new MalformedException("unknown state " + document.text("state"));
    };
  }

  private static StopCause cause(Document document) {
    return TaskDocument.constant(StopCause.class, document.text("cause"));
  }

  private static StopOrder recall(Document document) {
    Goal goal = TaskDocument.constant(Goal.class, document.text("goal"));
    return new StopOrder(goal, document.number("fence"), cause(document));
  }

  private static RolloutProgress ledger(RolloutSpec spec, Document document) {
    Document nodes = document.document("nodes");
    Document attempts = document.document("attempts");
    SortedMap<NodeId, NodeEntry> places = new TreeMap<>();
    for (String word : nodes.names()) {
      NodeProgress standing = TaskDocument.constant(NodeProgress.class, word);
      for (String node : nodes.texts(word)) {
        int attempt = attempts.has(node) ? TaskDocument.count(attempts, node) : spec.attempt();
        places.put(new NodeId(node), new NodeEntry(standing, attempt));
      }
    }
    return new RolloutProgress(
        TaskDocument.count(document, "passed"),
        TaskDocument.count(document, "kept"),
        places,
        excluded(document));
  }

  private static List<ExcludedNode> excluded(Document document) {
    return document.has("excluded")
        ? document.documents("excluded").stream().map(ExclusionDocument::read).toList()
        : List.of();
  }
}
