package keyfleet.sim.explore;

import java.io.IOException;
import keyfleet.sim.explore.TlaModelConfig.Property;

/// Mistakes that the models must not forgive: each bends one law, and breaks the promise beside it.
enum TlaModelBug {
  /// A writer that paused between its seal and its write stores what nobody can read any more.
  NO_FENCE(
      "Rotation", Property.READABLE, "FenceRule = \"none\"; Fields = {a}; Orders = {\"start\"}"),
  /// A late call of a driver that was superseded overwrites a newer fence.
  FENCE_WITHOUT_EPOCH("Rotation", Property.PROVEN, "FenceEpoch = FALSE; Fields = {a}"),
  /// The version that an abort leaves is above the bound.
  FENCE_AS_LOWER_BOUND("Rotation", Property.PROVEN, "FenceRule = \"bound\"; Fields = {a}"),
  FENCE_AFTER_CENSUS(
      "Rotation",
      Property.PROVEN,
      "FenceWhen = \"after census\"; Fields = {a}; Orders = {\"start\"}"),
  /// A mixed record belongs to its lowest version and carries the other one too.
  CENSUS_BY_LOWEST("Rotation", Property.PROVEN, "Counts = \"belonging\"; Workers = {d2}"),
  /// Behind an abort nobody finds the records that are mixed, so it never ends.
  SWEEP_BY_LOWEST("RotationEnds", Property.ENDS, "Sweeps = \"belonging\""),
  LIST_BEFORE_STAGE("RotationJoin", Property.K1, "GateOrder = \"list first\""),
  READ_BEFORE_BEAT("RotationJoin", Property.K1, "JoinOrder = \"read first\""),

  DESIRED_BY_PUT("Rollout", Property.IN_ORDER, "Write = \"put\""),
  /// A node that had read the apply and paused takes it after all.
  ABORT_UNACKNOWLEDGED("Rollout", Property.ABORTED_IS_OVER, "AbortWhen = \"told\""),
  /// A node that has obeyed the epoch before seems to have acknowledged the abort.
  ABORT_WITHOUT_EPOCH("Rollout", Property.ABORTED_IS_OVER, "AbortClaims = FALSE"),
  SLOT_GIVEN_AWAY("Rollout", Property.BOUNDED, "Slots = \"given away\"; Troubles = {\"cut\"}"),
  CONFIRM_BEFORE_SOAK("Rollout", Property.CONFIRMED_IS_SOAKED, "ConfirmsWhen = \"soaking\""),
  APPLY_BEFORE_STAGED("Rollout", Property.APPLIED_IS_STAGED, "AppliesWhen = \"asked\""),
  /// It takes a node that believes what it is told directly: the desired keys alone are in order.
  LOWER_EPOCH_OBEYED("Rollout", Property.IN_ORDER, "Obeys = \"anyone\"; Nudges = \"believed\"");

  private final String model;
  private final Property property;
  private final String changedConstants;

  /// `bent` is a law, and then perhaps what makes the model smaller where the mistake shows all the
  /// same.
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
