package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Decision.Next;
import keyfleet.keyring.Event;
import keyfleet.keyring.Event.Of;
import keyfleet.keyring.Job;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Opening;
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.Worker.Freshness;
import keyfleet.sim.Worker.Rewrap;

/// What one worker can do in a world. Every act is two steps, reading or deciding and then doing,
/// with anything in between.
final class WorkerSteps {
  private final RotationWorld world;
  private final int index;
  private final Worker worker;

  WorkerSteps(RotationWorld world, int index) {
    this.world = world;
    this.index = index;
    this.worker = world.workers().get(index);
  }

  void addTo(List<Step<RotationWorld>> steps) {
    addRewraps(steps);
    addFences(steps);
    addReports(steps);
  }

  private void addRewraps(List<Step<RotationWorld>> steps) {
    Rewrap rewrap = worker.rewrap();
    if (rewrap != null) {
      steps.add(new Step<>(() -> "worker " + index + " writes " + rewrap, write(rewrap)));
      return;
    }
    world.moving().ifPresent(target -> addReads(steps, target));
  }

  private void addReads(List<Step<RotationWorld>> steps, KekVersion target) {
    for (int record = 0; record < world.records().size(); record++) {
      if (!world.records().get(record).equals(target)) {
        Rewrap read = new Rewrap(record, target, Freshness.UNCHANGED);
        steps.add(step(() -> "reads " + read, worker.rewrapping(read)));
      }
    }
  }

  private RotationWorld write(Rewrap rewrap) {
    RotationWorld done = replaced(world, worker.rewrapping(null));
    KekVersion before = world.records().get(rewrap.record());
    boolean written =
        rewrap.freshness() == Freshness.UNCHANGED
            && world.laws().admits(world.fence(), before, rewrap.to());
    return written ? done.written(rewrap.record(), rewrap.to()) : done;
  }

  private void addFences(List<Step<RotationWorld>> steps) {
    Fence fence = worker.fence();
    if (fence != null) {
      steps.add(new Step<>(() -> "worker " + index + " arms " + fence, arm(fence)));
    } else if (world.isArming()) {
      Keystore keystore = world.keystore();
      Fence wanted = new Fence(world.laws().wanted(keystore), keystore.epoch());
      steps.add(step(() -> "decides to arm " + wanted, worker.fencing(wanted)));
    }
  }

  /// A store that has taken the fence lets the driver say so at once; the keystore decides whether
  /// it still matters.
  private RotationWorld arm(Fence fence) {
    RotationWorld done = replaced(world, worker.fencing(null));
    if (!world.laws().takes(world.fence(), fence)) {
      return done;
    }
    RotationWorld armed = done.fenced(fence);
    return Rotation.underWay(world.keystore().rotation())
        .filter(_ -> world.isArming())
        .map(job -> report(armed, armed(job, fence)))
        .orElse(armed);
  }

  private Event.Driven armed(Job job, Fence fence) {
    Of of = new Of(job.id(), fence.epoch());
    return world.keystore().rotation() instanceof Opening
        ? new Event.Opened(of)
        : new Event.Fenced(of);
  }

  private void addReports(List<Step<RotationWorld>> steps) {
    Event.Driven report = worker.report();
    if (report != null) {
      RotationWorld done = replaced(world, worker.reporting(null));
      steps.add(new Step<>(() -> "worker " + index + " reports " + report, report(done, report)));
    } else {
      world
          .finding()
          .ifPresent(found -> steps.add(step(() -> "finds " + found, worker.reporting(found))));
    }
  }

  private static RotationWorld report(RotationWorld world, Event.Driven report) {
    return world.laws().decide(world.keystore(), report) instanceof Next(Keystore next)
        ? world.with(next)
        : world;
  }

  private Step<RotationWorld> step(Supplier<String> words, Worker next) {
    return new Step<>(() -> "worker " + index + " " + words.get(), replaced(world, next));
  }

  private RotationWorld replaced(RotationWorld in, Worker next) {
    List<Worker> workers = new ArrayList<>(in.workers());
    workers.set(index, next);
    return in.working(workers);
  }
}
