package keyfleet.wire;

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
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;

/// Where a rollout stands, as its `ctl` key has it. It holds no time: what a driver waits for is in
/// its memory alone. Nodes are listed by standing; an attempt is named where it is not the first.
public final class RolloutControlDocument {
  private RolloutControlDocument() {}

  /// `nonce` is of this write alone.
  public static Value toValue(Rollout rollout, String nonce) {
    RolloutRun rolloutRun = rollout.run();
    Document.Builder builder =
        Document.builder()
            .text("nonce", nonce)
            .text("incarnation", rolloutRun.spec().incarnation())
            .document("lead", DocumentFields.toDocument(rolloutRun.claim()))
            .number("passed", rolloutRun.progress().passedBatches())
            .number("kept", rolloutRun.progress().keptBatches());
    writeState(builder, rollout);
    return builder
        .document("nodes", nodes(rolloutRun))
        .document("attempts", attempts(rolloutRun))
        .documents(
            "excluded",
            rolloutRun.progress().excluded().stream().map(ExclusionDocument::toDocument).toList())
        .build()
        .toValue();
  }

  /// Whether both would be stored alike; a driver's memory is not.
  public static boolean isSame(Rollout one, Rollout other) {
    return withoutMemory(one).equals(withoutMemory(other));
  }

  private static Rollout withoutMemory(Rollout rollout) {
    return rollout.with(rollout.run().withDriverView(DriverView.empty(Duration.ZERO)));
  }

  /// The state's name, as people and scripts know it.
  public static String stateName(Rollout rollout) {
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

  private static void writeState(Document.Builder builder, Rollout rollout) {
    builder.text("state", stateName(rollout));
    switch (rollout) {
      case Rollout.Paused(_, var stopCause) ->
          builder.text("cause", DocumentFields.toText(stopCause));
      case Rollout.Aborted(_, var stopCause) ->
          builder.text("cause", DocumentFields.toText(stopCause));
      case Rollout.Aborting(_, var stopOrder) ->
          builder
              .text("cause", DocumentFields.toText(stopOrder.cause()))
              .text("goal", DocumentFields.toText(stopOrder.goal()))
              .number("fence", stopOrder.fence());
      case Rollout.Created _, Rollout.Rolling _, Rollout.RolledBack _, Rollout.Completed _ -> {}
    }
  }

  private static Document nodes(RolloutRun rolloutRun) {
    Document.Builder builder = Document.builder();
    for (NodeProgress nodeProgress : NodeProgress.values()) {
      List<String> nodes =
          rolloutRun.progress().entries().entrySet().stream()
              .filter(it -> it.getValue().progress() == nodeProgress)
              .map(it -> it.getKey().value())
              .toList();
      if (!nodes.isEmpty()) {
        builder.texts(DocumentFields.toText(nodeProgress), nodes);
      }
    }
    return builder.build();
  }

  private static Document attempts(RolloutRun rolloutRun) {
    Document.Builder builder = Document.builder();
    for (Map.Entry<NodeId, NodeEntry> it : rolloutRun.progress().entries().entrySet()) {
      if (it.getValue().attempt() != rolloutRun.spec().firstAttempt()) {
        builder.number(it.getKey().value(), it.getValue().attempt());
      }
    }
    return builder.build();
  }

  public static Rollout parse(RolloutSpec spec, Value value) {
    return Document.parse(value).as(document -> parse(spec, document));
  }

  private static Rollout parse(RolloutSpec spec, Document document) {
    if (!document.text("incarnation").equals(spec.incarnation())) {
      throw new MalformedValueException("rollout " + spec.id() + " is of another incarnation");
    }
    RolloutRun rolloutRun =
        RolloutRun.of(spec, DocumentFields.lead(document.document("lead")), ledger(spec, document));
    return switch (document.text("state")) {
      case "created" -> new Rollout.Created(rolloutRun);
      case "rolling" -> new Rollout.Rolling(rolloutRun);
      case "paused" -> new Rollout.Paused(rolloutRun, cause(document));
      case "aborting" -> new Rollout.Aborting(rolloutRun, recall(document));
      case "aborted" -> new Rollout.Aborted(rolloutRun, cause(document));
      case "rolled_back" -> new Rollout.RolledBack(rolloutRun);
      case "completed" -> new Rollout.Completed(rolloutRun);
      default -> throw new MalformedValueException("unknown state " + document.text("state"));
    };
  }

  private static StopCause cause(Document document) {
    return DocumentFields.parseConstant(StopCause.class, document.text("cause"));
  }

  private static StopOrder recall(Document document) {
    Goal goal = DocumentFields.parseConstant(Goal.class, document.text("goal"));
    return new StopOrder(goal, document.number("fence"), cause(document));
  }

  private static RolloutProgress ledger(RolloutSpec spec, Document document) {
    Document nodes = document.document("nodes");
    Document attempts = document.document("attempts");
    SortedMap<NodeId, NodeEntry> nodeEntries = new TreeMap<>();
    for (String name : nodes.fieldNames()) {
      NodeProgress nodeProgress = DocumentFields.parseConstant(NodeProgress.class, name);
      for (String node : nodes.texts(name)) {
        int attempt =
            attempts.has(node) ? DocumentFields.count(attempts, node) : spec.firstAttempt();
        nodeEntries.put(new NodeId(node), new NodeEntry(nodeProgress, attempt));
      }
    }
    return new RolloutProgress(
        DocumentFields.count(document, "passed"),
        DocumentFields.count(document, "kept"),
        nodeEntries,
        excluded(document));
  }

  private static List<ExcludedNode> excluded(Document document) {
    return document.has("excluded")
        ? document.documents("excluded").stream().map(ExclusionDocument::parse).toList()
        : List.of();
  }
}
