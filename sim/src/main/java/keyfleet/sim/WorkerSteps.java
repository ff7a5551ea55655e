package keyfleet.sim;

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
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.Worker.Arm;
import keyfleet.sim.Worker.Freshness;
import keyfleet.sim.Worker.Intent;
import keyfleet.sim.Worker.Rewrap;
import keyfleet.sim.Worker.Tell;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;

/// What one worker can do in a world. Every act is two steps, reading or deciding and then doing,
/// with anything in between.
final class WorkerSteps {
  private final RotationWorld world;
  private final int index;

  WorkerSteps(RotationWorld world, int index) {
    this.world = world;
    this.index = index;
  }

  void addTo(List<Step<RotationWorld>> steps) {
    Intent intent = world.workers().get(index).intent();
    if (intent != null) {
      steps.add(new Step<>(() -> "worker " + index + " does " + intent, done(intent)));
    } else {
      addIntents(steps);
    }
  }

  private void addIntents(List<Step<RotationWorld>> steps) {
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
    new Lookout(world).finding().ifPresent(event -> steps.add(means(new Tell(event))));
  }

  private RotationEpoch of(RotationJob rotationJob) {
    return new RotationEpoch(rotationJob.id(), world.keystore().epoch());
  }

  private Step<RotationWorld> fence(RotationEvent.DriverEvent once) {
    Keystore keystore = world.keystore();
    Term term = new Term(keystore.identity().incarnation(), keystore.epoch());
    return means(new Arm(Fence.of(term, world.laws().wanted(keystore)), once));
  }

  /// Whoever carries another version must move, also if it belongs to the target by its lowest.
  private void addReads(List<Step<RotationWorld>> steps, KekVersion target) {
    for (int record = 0; record < world.records().size(); record++) {
      Tags tags = world.records().get(record);
      if (!tags.equals(tags.moved(target))) {
        steps.add(means(new Rewrap(record, target, Freshness.UNCHANGED)));
      }
    }
  }

  private Step<RotationWorld> means(Intent intent) {
    return new Step<>(
        () -> "worker " + index + " means to do " + intent, replaced(world, new Worker(intent)));
  }

  private RotationWorld done(Intent intent) {
    RotationWorld idle = replaced(world, Worker.IDLE);
    return switch (intent) {
      case Rewrap(int record, KekVersion to, Freshness freshness) ->
          freshness == Freshness.UNCHANGED
              ? idle.written(record, world.records().get(record).moved(to))
              : idle;
      case Arm(Fence fence, RotationEvent.DriverEvent once) ->
          world.laws().takes(world.fence(), fence)
              ? replaced(world.fenced(fence), new Worker(new Tell(once)))
              : idle;
      case Tell(RotationEvent.DriverEvent event) ->
          world.laws().decide(world.keystore(), event) instanceof Accepted(Keystore next)
              ? idle.with(next)
              : idle;
    };
  }

  private RotationWorld replaced(RotationWorld in, Worker next) {
    List<Worker> workers = new ArrayList<>(in.workers());
    workers.set(index, next);
    return in.working(workers);
  }
}
