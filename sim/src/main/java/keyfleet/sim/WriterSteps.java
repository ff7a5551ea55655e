package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import keyfleet.keyring.Keystore;
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.Writer.Lease;
import keyfleet.sim.Writer.Sealed;
import keyfleet.sim.Writer.Wakefulness;

/// What one writer can do in a world.
final class WriterSteps {
  private final RotationWorld world;
  private final int index;
  private final Writer writer;

  WriterSteps(RotationWorld world, int index) {
    this.world = world;
    this.index = index;
    this.writer = world.writers().get(index);
  }

  void addTo(List<Step<RotationWorld>> steps) {
    if (!writer.isAwake()) {
      steps.add(step(() -> "wakes", writer.turned(Wakefulness.AWAKE)));
      return;
    }
    steps.add(step(() -> "falls asleep", writer.turned(Wakefulness.ASLEEP)));
    Keystore keystore = world.keystore();
    Writer reloaded = writer.reloaded(keystore.active(), keystore.epoch());
    if (!reloaded.equals(writer)) {
      steps.add(step(() -> "reloads", reloaded));
    }
    addSealing(steps);
  }

  private void addSealing(List<Step<RotationWorld>> steps) {
    Sealed sealed = writer.sealed();
    if (sealed != null) {
      steps.add(new Step<>(() -> "writer " + index + " writes " + sealed, write(sealed)));
    } else if (writer.lease() == Lease.HELD || !world.laws().respectsLease()) {
      for (int record = 0; record < world.records().size(); record++) {
        Sealed value = new Sealed(record, writer.current());
        steps.add(step(() -> "seals " + value, writer.holding(value)));
      }
    }
  }

  private RotationWorld write(Sealed sealed) {
    RotationWorld done = replaced(writer.holding(null));
    boolean admitted =
        world.laws().admits(world.fence(), world.records().get(sealed.record()), sealed.version());
    return admitted ? done.written(sealed.record(), sealed.version()) : done;
  }

  private Step<RotationWorld> step(Supplier<String> words, Writer next) {
    return new Step<>(() -> "writer " + index + " " + words.get(), replaced(next));
  }

  private RotationWorld replaced(Writer next) {
    List<Writer> writers = new ArrayList<>(world.writers());
    writers.set(index, next);
    return world.writing(writers);
  }
}
