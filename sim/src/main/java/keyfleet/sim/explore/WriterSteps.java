package keyfleet.sim.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.sim.explore.Explorer.Step;
import keyfleet.sim.explore.RotationProtocol.JoinOrder;
import keyfleet.sim.explore.WriterState.SealRight;
import keyfleet.sim.explore.WriterState.SealedValue;

/// What one writer can do in a world.
final class WriterSteps {
  private final RotationModelState world;
  private final int index;
  private final WriterState writer;

  WriterSteps(RotationModelState world, int index) {
    this.world = world;
    this.index = index;
    this.writer = world.writers().get(index);
  }

  void addTo(List<Step<RotationModelState>> steps) {
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
  private void addRoundTrip(List<Step<RotationModelState>> steps) {
    if (!writer.beating().equals(writer)) {
      steps.add(step(() -> "beats", writer.beating()));
    }
    if (writer.isInRoster() || world.laws().joining() == JoinOrder.READS_FIRST) {
      Keystore keystore = world.keystore();
      boolean admitted = world.laws().admits(keystore, writer.keys().loaded());
      WriterState next = writer.reading(keystore, admitted ? SealRight.ADMITTED : SealRight.NONE);
      if (!next.equals(writer)) {
        steps.add(step(() -> "reads the keystore and is " + next.right(), next));
      }
    }
  }

  private void addSealing(List<Step<RotationModelState>> steps) {
    SealedValue sealed = writer.sealed();
    if (sealed != null) {
      steps.add(new Step<>(() -> "writer " + index + " writes " + sealed, write(sealed)));
    } else if (writer.right() != SealRight.NONE) {
      for (int record = 0; record < world.records().size(); record++) {
        addSeals(steps, record);
      }
    }
  }

  private void addSeals(List<Step<RotationModelState>> steps, int record) {
    for (int field = 0; field < world.records().get(record).ofFields().size(); field++) {
      SealedValue value = new SealedValue(record, field, writer.view().active());
      steps.add(step(() -> "seals " + value, writer.holding(value)));
    }
  }

  /// Of one field, blindly, as code does that knows nothing of Keyfleet.
  private RotationModelState write(SealedValue sealed) {
    FieldVersions after =
        world.records().get(sealed.record()).with(sealed.field(), sealed.version());
    return replaced(writer.holding(null)).written(sealed.record(), after);
  }

  private Step<RotationModelState> step(Supplier<String> words, WriterState next) {
    return new Step<>(() -> "writer " + index + " " + words.get(), replaced(next));
  }

  private RotationModelState replaced(WriterState next) {
    List<WriterState> writers = new ArrayList<>(world.writers());
    writers.set(index, next);
    return world.writing(writers);
  }
}
