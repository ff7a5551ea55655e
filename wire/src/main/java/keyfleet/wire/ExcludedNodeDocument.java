package keyfleet.wire;

import keyfleet.rollout.NodeId;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.ExcludedNode.Degraded;
import keyfleet.rollout.plan.ExcludedNode.FactUnknown;
import keyfleet.rollout.plan.ExcludedNode.HeldBack;
import keyfleet.rollout.plan.ExcludedNode.NotAllowedFrom;
import keyfleet.rollout.plan.ExcludedNode.NotTargeted;
import keyfleet.rollout.plan.ExcludedNode.ProtocolTooOld;
import keyfleet.rollout.plan.ExcludedNode.Quarantined;
import keyfleet.rollout.plan.ExcludedNode.Reason;
import keyfleet.rollout.plan.ExcludedNode.UnreadableStatus;
import keyfleet.rollout.plan.ExcludedNode.WrongPlatform;
import keyfleet.store.Document;

/// An excluded node with the reason, inside a plan or a control record.
final class ExcludedNodeDocument {
  private ExcludedNodeDocument() {}

  static Document toDocument(ExcludedNode excluded) {
    Document.Builder builder = Document.builder().text("node", excluded.node().value());
    return switch (excluded.reason()) {
      case Degraded _ -> builder.text("reason", "degraded").build();
      case FactUnknown _ -> builder.text("reason", "fact_unknown").build();
      case HeldBack(var why) -> builder.text("reason", "held_back").text("why", why).build();
      case Quarantined(int attempt) ->
          builder.text("reason", "quarantined").number("attempt", attempt).build();
      case NotTargeted _ -> builder.text("reason", "not_targeted").build();
      case NotAllowedFrom(var running) ->
          builder.text("reason", "not_allowed_from").text("running", running.value()).build();
      case WrongPlatform _ -> builder.text("reason", "wrong_platform").build();
      case ProtocolTooOld(int protocol, int min) ->
          builder
              .text("reason", "protocol_too_old")
              .number("protocol", protocol)
              .number("min_protocol", min)
              .build();
      case UnreadableStatus _ -> builder.text("reason", "unreadable_status").build();
    };
  }

  static ExcludedNode parse(Document document) {
    return new ExcludedNode(new NodeId(document.text("node")), reason(document));
  }

  private static Reason reason(Document document) {
    return switch (document.text("reason")) {
      case "degraded" -> new Degraded();
      case "fact_unknown" -> new FactUnknown();
      case "held_back" -> new HeldBack(document.text("why"));
      case "quarantined" -> new Quarantined(DocumentFields.count(document, "attempt"));
      case "not_targeted" -> new NotTargeted();
      case "not_allowed_from" -> new NotAllowedFrom(new ReleaseVersion(document.text("running")));
      case "wrong_platform" -> new WrongPlatform();
      case "protocol_too_old" ->
          new ProtocolTooOld(
              DocumentFields.count(document, "protocol"),
              DocumentFields.count(document, "min_protocol"));
      case "unreadable_status" -> new UnreadableStatus();
      default -> throw new IllegalArgumentException("unknown reason: " + document.text("reason"));
    };
  }
}
