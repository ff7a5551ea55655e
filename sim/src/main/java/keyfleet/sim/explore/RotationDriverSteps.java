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

/// What one worker can do in a world. Every act is two steps, reading or deciding and then doing,
/// with anything in between.
final class RotationDriverSteps {
  private final RotationModelState world;
  private final int index;

  RotationDriverSteps(RotationModelState world, int index) {
    this.world = world;
    this.index = index;
  }

  void addTo(List<Step<RotationModelState>> steps) {
    Intent intent = world.workers().get(index).intent();
    if (intent != null) {
      steps.add(new Step<>(() -> "worker " + index + " does " + intent, done(intent)));
    } else {
      addIntents(steps);
    }
  }

  private void addIntents(List<Step<RotationModelState>> steps) {
    Keystore keystore = world.keystore();
    switch (keystore.rotation()) {
      case OpeningFences(RotationJob rotationJob) ->
          steps.add(fence(new RotationEvent.FencesOpened(of(rotationJob))));
      case Fencing(RotationJob rotationJob) ->
          steps.add(fence(new RotationEvent.Fenced(of(rotationJob))));
      case Rewrapping(RotationJob rotationJob) -> addReads(steps, rotationJob.to());
      case Sweeping(RotationJob rotationJob) -> addReads(steps, rotationJob.to());
      case Rotation _ -> {}
    }
    new RotationEvidence(world)
        .finding()
        .ifPresent(event -> steps.add(means(new ReportEvent(event))));
  }

  private RotationEpoch of(RotationJob rotationJob) {
    return new RotationEpoch(rotationJob.id(), world.keystore().epoch());
  }

  private Step<RotationModelState> fence(RotationEvent.DriverEvent once) {
    Keystore keystore = world.keystore();
    Term term = new Term(keystore.identity().incarnation(), keystore.epoch());
    return means(new RaiseFence(Fence.of(term, world.laws().wanted(keystore)), once));
  }

  /// Whoever carries another version must move, also if it belongs to the target by its lowest.
  private void addReads(List<Step<RotationModelState>> steps, KekVersion target) {
    for (int record = 0; record < world.records().size(); record++) {
      FieldVersions tags = world.records().get(record);
      if (!tags.equals(tags.moved(target))) {
        steps.add(means(new RewrapRecord(record, target, Freshness.UNCHANGED)));
      }
    }
  }

  private Step<RotationModelState> means(Intent intent) {
    return new Step<>(
        () -> "worker " + index + " means to do " + intent,
        replaced(world, new RotationDriverState(intent)));
  }

  private RotationModelState done(Intent intent) {
    RotationModelState idle = replaced(world, RotationDriverState.IDLE);
    return switch (intent) {
      case RewrapRecord(int record, KekVersion to, Freshness freshness) ->
          freshness == Freshness.UNCHANGED
              ? idle.written(record, world.records().get(record).moved(to))
              : idle;
      case RaiseFence(Fence fence, RotationEvent.DriverEvent once) ->
          world.laws().takes(world.fence(), fence)
              ? replaced(world.fenced(fence), new RotationDriverState(new ReportEvent(once)))
              : idle;
      case ReportEvent(RotationEvent.DriverEvent event) ->
          world.laws().decide(world.keystore(), event) instanceof Accepted(Keystore next)
              ? idle.with(next)
              : idle;
    };
  }

  private RotationModelState replaced(RotationModelState in, RotationDriverState next) {
    List<RotationDriverState> workers = new ArrayList<>(in.workers());
    workers.set(index, next);
    return in.working(workers);
  }
}
