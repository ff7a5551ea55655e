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

/// What a rollout is, as it stands under its `spec` key. The plan's hash is stored with it and must
/// be found again (I11): a plan that reads as another one drives nobody.
public final class RolloutSpecDocument {
  private static final String PERCENT = "_percent";

  private RolloutSpecDocument() {}

  public static Value toValue(RolloutSpec spec) {
    return Document.builder()
        .text("rollout", spec.id().value())
        .text("incarnation", spec.incarnation())
        .number("attempt", spec.firstAttempt())
        .text("component", spec.component().value())
        .document("admission", toValue(spec.eligibility()))
        .document("plan", toValue(spec.plan()))
        .document("limits", toValue(spec.limits()))
        .document("times", toValue(spec.timings()))
        .build()
        .toValue();
  }

  public static RolloutSpec parse(Value value) {
    return Document.parse(value).as(RolloutSpecDocument::spec);
  }

  private static RolloutSpec spec(Document document) {
    RolloutPlan rolloutPlan = plan(document.document("plan"));
    return new RolloutSpec(
        new RolloutId(document.text("rollout")),
        document.text("incarnation"),
        admission(document, rolloutPlan),
        new Component(document.text("component")),
        rolloutPlan,
        limits(document.document("limits")),
        times(document.document("times")));
  }

  private static Document toValue(RolloutPlan rolloutPlan) {
    Document.Builder builder = Document.builder();
    if (rolloutPlan.failureDomains() instanceof FailureDomains.Limited(var fact, int perBatch)) {
      builder.text("domain", fact).number("per_domain", perBatch);
    }
    return builder
        .text("hash", rolloutPlan.hash().hex())
        .text("inventory", rolloutPlan.inventory().hex())
        .text("release", rolloutPlan.release().hex())
        .text("target", rolloutPlan.target().toString())
        .texts("canaries", ids(rolloutPlan.canaries()))
        .documents(
            "batches",
            rolloutPlan.batches().stream()
                .map(it -> Document.builder().texts("nodes", ids(it)).build())
                .toList())
        .texts("offline", ids(rolloutPlan.offline()))
        .documents(
            "excluded", rolloutPlan.excluded().stream().map(ExclusionDocument::toDocument).toList())
        .build();
  }

  private static RolloutPlan plan(Document document) {
    RolloutPlan rolloutPlan =
        new RolloutPlan(
            new Sha256(document.text("release")),
            target(document.text("target")),
            nodes(document, "canaries"),
            document.documents("batches").stream().map(it -> nodes(it, "nodes")).toList(),
            nodes(document, "offline"),
            document.documents("excluded").stream().map(ExclusionDocument::parse).toList(),
            spread(document),
            document.has("inventory")
                ? new Sha256(document.text("inventory"))
                : RolloutPlan.UNKNOWN_INVENTORY);
    if (!rolloutPlan.hash().hex().equals(document.text("hash"))) {
      throw new IllegalArgumentException("the plan is not the one that was made");
    }
    return rolloutPlan;
  }

  private static FailureDomains spread(Document document) {
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

  private static Document toValue(EligibilityRules eligibilityRules) {
    return Document.builder()
        .number("min_protocol", eligibilityRules.offeredRelease().minProtocol())
        .texts(
            "platforms",
            eligibilityRules.offeredRelease().platforms().stream()
                .map(Platform::value)
                .sorted()
                .toList())
        .texts(
            "allowed_from",
            eligibilityRules.offeredRelease().allowedFrom().stream()
                .map(VersionPattern::value)
                .toList())
        .text("degraded", DocumentFields.toText(eligibilityRules.degraded()))
        .documents(
            "held_back",
            new TreeMap<>(eligibilityRules.heldBack())
                .entrySet().stream().map(RolloutSpecDocument::toValue).toList())
        .build();
  }

  private static Document toValue(Map.Entry<NodeId, String> held) {
    return Document.builder()
        .text("node", held.getKey().value())
        .text("why", held.getValue())
        .build();
  }

  /// A spec without one is of a program that did not ask.
  private static EligibilityRules admission(Document document, RolloutPlan rolloutPlan) {
    int attempt = DocumentFields.count(document, "attempt");
    if (!document.has("admission")) {
      return EligibilityRules.of(
          rolloutPlan.target(), OfferedRelease.of(rolloutPlan.release(), attempt));
    }
    Document fields = document.document("admission");
    Set<Platform> platforms =
        fields.texts("platforms").stream().map(Platform::new).collect(Collectors.toSet());
    Map<NodeId, String> held = new HashMap<>();
    fields
        .documents("held_back")
        .forEach(it -> held.put(new NodeId(it.text("node")), it.text("why")));
    return new EligibilityRules(
        rolloutPlan.target(),
        new OfferedRelease(
            rolloutPlan.release(),
            attempt,
            DocumentFields.count(fields, "min_protocol"),
            platforms,
            allowedFrom(fields)),
        DocumentFields.parseConstant(DegradedNodes.class, fields.text("degraded")),
        held);
  }

  private static List<VersionPattern> allowedFrom(Document fields) {
    return fields.has("allowed_from")
        ? fields.texts("allowed_from").stream().map(VersionPattern::new).toList()
        : List.of();
  }

  private static Document toValue(RolloutLimits rolloutLimits) {
    Document.Builder builder =
        Document.builder()
            .number("batch_size", rolloutLimits.batchSize())
            .number("max_unavailable", rolloutLimits.maxUnavailable())
            .number("lane", rolloutLimits.maxLateNodes());
    write(builder, "max_failed", rolloutLimits.maxFailed());
    write(builder, "max_failed_per_batch", rolloutLimits.maxFailedPerBatch());
    return builder.build();
  }

  private static void write(Document.Builder builder, String name, FailureLimit failureLimit) {
    switch (failureLimit) {
      case FailureLimit.Nodes(int count) -> builder.number(name, count);
      case FailureLimit.Percent(int percent) -> builder.number(name + PERCENT, percent);
      case FailureLimit.Unlimited _ -> {}
    }
  }

  private static RolloutLimits limits(Document document) {
    return new RolloutLimits(
        DocumentFields.count(document, "batch_size"),
        tolerance(document, "max_failed"),
        tolerance(document, "max_failed_per_batch"),
        DocumentFields.count(document, "max_unavailable"),
        DocumentFields.count(document, "lane"));
  }

  private static FailureLimit tolerance(Document document, String name) {
    if (document.has(name)) {
      return new FailureLimit.Nodes(DocumentFields.count(document, name));
    }
    return document.has(name + PERCENT)
        ? new FailureLimit.Percent(DocumentFields.count(document, name + PERCENT))
        : new FailureLimit.Unlimited();
  }

  private static Document toValue(RolloutTimings rolloutTimings) {
    return Document.builder()
        .text("soak", rolloutTimings.soak().toString())
        .text("confirm_within", rolloutTimings.confirmWithin().toString())
        .text("batch_pause", rolloutTimings.batchPause().toString())
        .text("lane_wait", rolloutTimings.lateNodeWait().toString())
        .text("prepare_within", rolloutTimings.prepareWithin().toString())
        .text("answer_within", rolloutTimings.answerWithin().toString())
        .text("health_wait", rolloutTimings.healthWait().toString())
        .text("stale", rolloutTimings.staleAfter().toString())
        .text("scan", rolloutTimings.scanInterval().toString())
        .build();
  }

  private static RolloutTimings times(Document document) {
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
