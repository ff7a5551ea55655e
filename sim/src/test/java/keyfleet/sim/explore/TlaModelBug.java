package keyfleet.sim.explore;

import java.io.IOException;
import keyfleet.sim.explore.TlaModelConfig.Property;

/// Bugs that the models must not tolerate. Each changes one rule and violates the property beside
/// it.
enum TlaModelBug {
  /// A writer that pauses between its seal and its write stores a value that no process can open.
  NO_FENCE(
      "Rotation", Property.READABLE, "FenceRule = \"none\"; Fields = {a}; Orders = {\"start\"}"),
  /// A late call of a superseded driver overwrites a newer fence.
  FENCE_WITHOUT_EPOCH("Rotation", Property.PROVEN, "FenceEpoch = FALSE; Fields = {a}"),
  /// The version that an abort leaves is above the bound.
  FENCE_AS_LOWER_BOUND("Rotation", Property.PROVEN, "FenceRule = \"bound\"; Fields = {a}"),
  FENCE_AFTER_CENSUS(
      "Rotation",
      Property.PROVEN,
      "FenceWhen = \"after census\"; Fields = {a}; Orders = {\"start\"}"),
  /// A record with two versions belongs to the lowest and also carries the other.
  CENSUS_BY_LOWEST("Rotation", Property.PROVEN, "Counts = \"belonging\"; Workers = {d2}"),
  /// After an abort the sweep finds no record with two versions, so the rotation never ends.
  SWEEP_BY_LOWEST("RotationEnds", Property.ENDS, "Sweeps = \"belonging\""),
  LIST_BEFORE_STAGE("RotationJoin", Property.K1, "GateOrder = \"list first\""),
  READ_BEFORE_BEAT("RotationJoin", Property.K1, "JoinOrder = \"read first\""),
  /// The rotation goes on to seal under the withdrawn version.
  STAGED_WITHDRAWN("Rotation", Property.READABLE, "Withdraws = \"staged too\"; Fields = {a}"),
  HOLD_UNSEEN("RotationHold", Property.K1, "Holds = \"nobody\""),
  /// The backup knows the version only as announced, so a process without it is admitted.
  USED_VERSION_FORGOTTEN("RotationHold", Property.K1, "Accepts = \"keeps its states\""),
  RESOLVED_TOO_LOW("RotationHold", Property.HELD, "ResolvesAt = \"the keystore's\""),

  GATE_WITHOUT_PLUGINS("Plugins", Property.OPENS, "GateKnows = FALSE"),
  SETTLED_BY_TIME("Plugins", Property.FOLLOWED, "SettlesWhen = \"lease\""),
  LAST_VERSION_PROVED("Plugins", Property.PROVEN, "ProvesWhen = \"last attested\""),
  PROVED_UNASKED("Plugins", Property.PROVEN, "ProvesWhen = \"always\""),
  /// What was true before the version was used again.
  ATTESTED_FOREVER("Plugins", Property.TRUTHFUL, "AttestedUntil = \"forever\""),

  DESIRED_BY_PUT("Rollout", Property.IN_ORDER, "Write = \"put\""),
  /// A node that has read the order to apply, and then pauses, still obeys it.
  ABORT_UNACKNOWLEDGED("Rollout", Property.ABORTED_IS_OVER, "AbortWhen = \"written\""),
  /// A node that has obeyed the previous epoch seems to have acknowledged the abort.
  ABORT_WITHOUT_EPOCH("Rollout", Property.ABORTED_IS_OVER, "AbortClaims = FALSE"),
  SLOT_GIVEN_AWAY("Rollout", Property.BOUNDED, "Slots = \"given away\"; Faults = {\"cut\"}"),
  CONFIRM_BEFORE_SOAK("Rollout", Property.CONFIRMED_IS_SOAKED, "ConfirmsWhen = \"soaking\""),
  APPLY_BEFORE_STAGED("Rollout", Property.APPLIED_IS_STAGED, "AppliesWhen = \"asked\""),
  /// This shows only if a node believes direct commands: the desired keys alone are in order.
  LOWER_EPOCH_OBEYED("Rollout", Property.IN_ORDER, "Obeys = \"anyone\"; Hints = \"believed\"");

  private final String model;
  private final Property property;
  private final String changedConstants;

  /// `changedConstants` changes a rule, and may also make the model smaller where the bug still
  /// shows.
  TlaModelBug(String model, Property property, String changedConstants) {
    this.model = model;
    this.property = property;
    this.changedConstants = changedConstants;
  }

  TlaModelConfig config() throws IOException {
    TlaModelConfig config = TlaModelConfig.read(model).withProperty(property);
    for (String constant : changedConstants.split("; ", -1)) {
      config = config.with(constant);
    }
    return config;
  }

  String violation() {
    return property.violation();
  }
}
