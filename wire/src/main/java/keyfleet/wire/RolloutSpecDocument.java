package keyfleet.wire;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Platform;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.controller.FailureLimit;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.FailureDomains;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.release.VersionPattern;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetParser;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The document under a rollout's `spec` key. The hash of the plan is stored with it and must match
/// the plan that is read (I11): an edited plan commands no node.
public final class RolloutSpecDocument {
  private static final String PERCENT = "_percent";

  private RolloutSpecDocument() {}

  public static Value toValue(RolloutSpec spec) {
    return Document.builder()
        .text("rollout", spec.id().value())
        .text("incarnation", spec.incarnation())
        .number("attempt", spec.firstAttempt())
        .text("component", spec.component().value())
        .document("admission", toDocument(spec.eligibility()))
        .document("plan", toDocument(spec.plan()))
        .document("limits", toDocument(spec.limits()))
        .document("times", toDocument(spec.timings()))
        .build()
        .toValue();
  }

  public static RolloutSpec parse(Value value) {
    return Document.parse(value).as(RolloutSpecDocument::spec);
  }

  private static RolloutSpec spec(Document document) {
    RolloutPlan plan = plan(document.document("plan"));
    return new RolloutSpec(
        new RolloutId(document.text("rollout")),
        document.text("incarnation"),
        eligibility(document, plan),
        new Component(document.text("component")),
        plan,
        limits(document.document("limits")),
        timings(document.document("times")));
  }

  private static Document toDocument(RolloutPlan plan) {
    Document.Builder builder = Document.builder();
    if (plan.failureDomains() instanceof FailureDomains.Limited(var fact, int perBatch)) {
      builder.text("domain", fact).number("per_domain", perBatch);
    }
    return builder
        .text("hash", plan.hash().hex())
        .text("inventory", plan.inventory().hex())
        .text("release", plan.release().hex())
        .text("target", plan.target().toString())
        .texts("canaries", ids(plan.canaries()))
        .documents(
            "batches",
            plan.batches().stream()
                .map(it -> Document.builder().texts("nodes", ids(it)).build())
                .toList())
        .texts("offline", ids(plan.offline()))
        .documents(
            "excluded", plan.excluded().stream().map(ExcludedNodeDocument::toDocument).toList())
        .build();
  }

  private static RolloutPlan plan(Document document) {
    RolloutPlan plan =
        new RolloutPlan(
            new Sha256(document.text("release")),
            target(document.text("target")),
            nodes(document, "canaries"),
            document.documents("batches").stream().map(it -> nodes(it, "nodes")).toList(),
            nodes(document, "offline"),
            document.documents("excluded").stream().map(ExcludedNodeDocument::parse).toList(),
            failureDomains(document),
            document.has("inventory")
                ? new Sha256(document.text("inventory"))
                : RolloutPlan.UNKNOWN_INVENTORY);
    if (!plan.hash().hex().equals(document.text("hash"))) {
      throw new IllegalArgumentException(
          "the hash of the plan does not match; the plan was edited");
    }
    return plan;
  }

  private static FailureDomains failureDomains(Document document) {
    return document.has("domain")
        ? new FailureDomains.Limited(
            document.text("domain"), DocumentFields.count(document, "per_domain"))
        : new FailureDomains.Unlimited();
  }

  private static Target target(String text) {
    return switch (TargetParser.parse(text)) {
      case TargetParser.Parsed(var target) -> target;
      case TargetParser.InvalidTarget bad -> throw new IllegalArgumentException(bad.toString());
    };
  }

  private static Document toDocument(EligibilityRules rules) {
    return Document.builder()
        .number("min_protocol", rules.offeredRelease().minProtocol())
        .texts(
            "platforms",
            rules.offeredRelease().platforms().stream().map(Platform::value).sorted().toList())
        .texts(
            "allowed_from",
            rules.offeredRelease().allowedFrom().stream().map(VersionPattern::value).toList())
        .text("degraded", DocumentFields.toText(rules.degraded()))
        .documents(
            "held_back",
            new TreeMap<>(rules.heldBack())
                .entrySet().stream().map(RolloutSpecDocument::toDocument).toList())
        .build();
  }

  private static Document toDocument(Map.Entry<NodeId, String> heldBack) {
    return Document.builder()
        .text("node", heldBack.getKey().value())
        .text("why", heldBack.getValue())
        .build();
  }

  /// Specs of older versions have no such field.
  private static EligibilityRules eligibility(Document document, RolloutPlan plan) {
    int attempt = DocumentFields.count(document, "attempt");
    if (!document.has("admission")) {
      return EligibilityRules.of(plan.target(), OfferedRelease.of(plan.release(), attempt));
    }
    Document fields = document.document("admission");
    Set<Platform> platforms =
        fields.texts("platforms").stream().map(Platform::new).collect(Collectors.toSet());
    Map<NodeId, String> heldBack = new HashMap<>();
    fields
        .documents("held_back")
        .forEach(it -> heldBack.put(new NodeId(it.text("node")), it.text("why")));
    return new EligibilityRules(
        plan.target(),
        new OfferedRelease(
            plan.release(),
            attempt,
            DocumentFields.count(fields, "min_protocol"),
            platforms,
            allowedFrom(fields)),
        DocumentFields.parseConstant(DegradedNodes.class, fields.text("degraded")),
        heldBack);
  }

  private static List<VersionPattern> allowedFrom(Document fields) {
    return fields.has("allowed_from")
        ? fields.texts("allowed_from").stream().map(VersionPattern::new).toList()
        : List.of();
  }

  private static Document toDocument(RolloutLimits limits) {
    Document.Builder builder =
        Document.builder()
            .number("batch_size", limits.batchSize())
            .number("max_unavailable", limits.maxUnavailable())
            .number("lane", limits.maxLateNodes());
    write(builder, "max_failed", limits.maxFailed());
    write(builder, "max_failed_per_batch", limits.maxFailedPerBatch());
    return builder.build();
  }

  private static void write(Document.Builder builder, String name, FailureLimit limit) {
    switch (limit) {
      case FailureLimit.Nodes(int count) -> builder.number(name, count);
      case FailureLimit.Percent(int percent) -> builder.number(name + PERCENT, percent);
      case FailureLimit.Unlimited _ -> {}
    }
  }

  private static RolloutLimits limits(Document document) {
    return new RolloutLimits(
        DocumentFields.count(document, "batch_size"),
        failureLimit(document, "max_failed"),
        failureLimit(document, "max_failed_per_batch"),
        DocumentFields.count(document, "max_unavailable"),
        DocumentFields.count(document, "lane"));
  }

  private static FailureLimit failureLimit(Document document, String name) {
    if (document.has(name)) {
      return new FailureLimit.Nodes(DocumentFields.count(document, name));
    }
    return document.has(name + PERCENT)
        ? new FailureLimit.Percent(DocumentFields.count(document, name + PERCENT))
        : new FailureLimit.Unlimited();
  }

  private static Document toDocument(RolloutTimings timings) {
    return Document.builder()
        .text("soak", timings.soak().toString())
        .text("confirm_within", timings.confirmWithin().toString())
        .text("batch_pause", timings.batchPause().toString())
        .text("lane_wait", timings.lateNodeWait().toString())
        .text("prepare_within", timings.prepareWithin().toString())
        .text("answer_within", timings.answerWithin().toString())
        .text("health_wait", timings.healthWait().toString())
        .text("stale", timings.staleAfter().toString())
        .text("scan", timings.scanInterval().toString())
        .build();
  }

  private static RolloutTimings timings(Document document) {
    return new RolloutTimings(
        DocumentFields.duration(document, "soak"),
        DocumentFields.duration(document, "confirm_within"),
        DocumentFields.duration(document, "batch_pause"),
        DocumentFields.duration(document, "lane_wait"),
        DocumentFields.duration(document, "prepare_within"),
        DocumentFields.duration(document, "answer_within"),
        DocumentFields.duration(document, "health_wait"),
        DocumentFields.duration(document, "stale"),
        DocumentFields.duration(document, "scan"));
  }

  private static List<String> ids(List<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).toList();
  }

  private static List<NodeId> nodes(Document document, String name) {
    return document.texts(name).stream().map(NodeId::new).toList();
  }
}
