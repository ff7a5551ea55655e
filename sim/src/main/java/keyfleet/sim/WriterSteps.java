package keyfleet.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.sim.Explorer.Step;
import keyfleet.sim.Laws.Joining;
import keyfleet.sim.Writer.Right;
import keyfleet.sim.Writer.Sealed;

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
      steps.add(step(() -> "wakes", writer.awake()));
      return;
    }
    steps.add(step(() -> "falls asleep", writer.asleep()));
    Set<KekVersion> all = world.keystore().versions().keySet();
    if (!writer.keys().loaded().equals(all)) {
      steps.add(step(() -> "loads every version", writer.loading(all)));
    }
    addRoundTrip(steps);
    addSealing(steps);
  }

  /// The beat and the reading that follows it are two steps: a gate may come between.
  private void addRoundTrip(List<Step<RotationWorld>> steps) {
    if (!writer.beating().equals(writer)) {
      steps.add(step(() -> "beats", writer.beating()));
    }
    if (writer.isInRoster() || world.laws().joining() == Joining.READS_FIRST) {
      Keystore keystore = world.keystore();
      boolean admitted = world.laws().admits(keystore, writer.keys().loaded());
      Writer next = writer.reading(keystore, admitted ? Right.ADMITTED : Right.NONE);
      if (!next.equals(writer)) {
        steps.add(step(() -> "reads the keystore and is " + next.right(), next));
      }
    }
  }

  private void addSealing(List<Step<RotationWorld>> steps) {
    Sealed sealed = writer.sealed();
    if (sealed != null) {
      steps.add(new Step<>(() -> "writer " + index + " writes " + sealed, write(sealed)));
    } else if (writer.right() != Right.NONE) {
      for (int record = 0; record < world.records().size(); record++) {
        addSeals(steps, record);
      }
    }
  }

  private void addSeals(List<Step<RotationWorld>> steps, int record) {
    for (int field = 0; field < world.records().get(record).ofFields().size(); field++) {
      Sealed value = new Sealed(record, field, writer.view().active());
      steps.add(step(() -> "seals " + value, writer.holding(value)));
    }
  }

  /// Of one field, blindly, as code does that knows nothing of Keyfleet.
  private RotationWorld write(Sealed sealed) {
    Tags after = world.records().get(sealed.record()).with(sealed.field(), sealed.version());
    return replaced(writer.holding(null)).written(sealed.record(), after);
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
