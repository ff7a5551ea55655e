package keyfleet.sim.explore;

import java.util.ArrayList;
import java.util.List;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Fencing;
import keyfleet.keyring.Rotation.OpeningFences;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Sweeping;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.RotationJob;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RotationDriverState.Freshness;
import keyfleet.sim.explore.RotationDriverState.Intent;
import keyfleet.sim.explore.RotationDriverState.RaiseFence;
import keyfleet.sim.explore.RotationDriverState.ReportEvent;
import keyfleet.sim.explore.RotationDriverState.RewrapRecord;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;

/// The steps of one rotation driver. Every action is two steps, first reading and deciding, then
/// acting, and any other step may come between them.
final class RotationDriverSteps {
  private final RotationModelState state;
  private final int index;

  RotationDriverSteps(RotationModelState state, int index) {
    this.state = state;
    this.index = index;
  }

  void addTo(List<Step<RotationModelState>> steps) {
    Intent intent = state.drivers().get(index).intent();
    if (intent != null) {
      steps.add(new Step<>(() -> "driver " + index + " executes " + intent, execute(intent)));
    } else {
      addIntents(steps);
    }
  }

  private void addIntents(List<Step<RotationModelState>> steps) {
    Keystore keystore = state.keystore();
    switch (keystore.rotation()) {
      case OpeningFences(RotationJob job) ->
          steps.add(planFence(new RotationEvent.FencesOpened(epochOf(job))));
      case Fencing(RotationJob job) -> steps.add(planFence(new RotationEvent.Fenced(epochOf(job))));
      case Rewrapping(RotationJob job) -> addReads(steps, job.to());
      case Sweeping(RotationJob job) -> addReads(steps, job.to());
      case Rotation _ -> {}
    }
    new RotationEvidence(state)
        .reportableEvent()
        .ifPresent(event -> steps.add(plan(new ReportEvent(event))));
  }

  private RotationEpoch epochOf(RotationJob job) {
    return new RotationEpoch(job.id(), state.keystore().epoch());
  }

  private Step<RotationModelState> planFence(RotationEvent.DriverEvent afterwards) {
    Keystore keystore = state.keystore();
    Term term = new Term(keystore.identity().incarnation(), keystore.epoch());
    return plan(
        new RaiseFence(Fence.of(term, state.protocol().requestedVersions(keystore)), afterwards));
  }

  /// A record with any other version must move, even if its lowest version is the target.
  private void addReads(List<Step<RotationModelState>> steps, KekVersion target) {
    for (int record = 0; record < state.records().size(); record++) {
      FieldVersions versions = state.records().get(record);
      if (!versions.equals(versions.rewrapped(target))) {
        steps.add(plan(new RewrapRecord(record, target, Freshness.UNCHANGED)));
      }
    }
  }

  private Step<RotationModelState> plan(Intent intent) {
    return new Step<>(
        () -> "driver " + index + " plans " + intent,
        withDriver(state, new RotationDriverState(intent)));
  }

  private RotationModelState execute(Intent intent) {
    RotationModelState idle = withDriver(state, RotationDriverState.IDLE);
    return switch (intent) {
      case RewrapRecord(int record, KekVersion to, Freshness freshness) ->
          freshness == Freshness.UNCHANGED
              ? idle.withWrite(record, state.records().get(record).rewrapped(to))
              : idle;
      case RaiseFence(Fence fence, RotationEvent.DriverEvent afterwards) ->
          state.protocol().isFenceAccepted(state.fence(), fence)
              ? withDriver(
                  state.withFence(fence), new RotationDriverState(new ReportEvent(afterwards)))
              : idle;
      case ReportEvent(RotationEvent.DriverEvent event) ->
          state.protocol().decide(state.keystore(), event) instanceof Accepted(Keystore next)
              ? idle.withKeystore(next)
              : idle;
    };
  }

  private RotationModelState withDriver(RotationModelState in, RotationDriverState next) {
    List<RotationDriverState> drivers = new ArrayList<>(in.drivers());
    drivers.set(index, next);
    return in.withDrivers(drivers);
  }
}
