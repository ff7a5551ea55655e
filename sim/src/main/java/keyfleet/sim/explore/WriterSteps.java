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

/// The steps of one writer.
final class WriterSteps {
  private final RotationModelState state;
  private final int index;
  private final WriterState writer;

  WriterSteps(RotationModelState state, int index) {
    this.state = state;
    this.index = index;
    this.writer = state.writers().get(index);
  }

  void addTo(List<Step<RotationModelState>> steps) {
    if (!writer.isAwake()) {
      steps.add(step(() -> "wakes", writer.awake()));
      return;
    }
    steps.add(step(() -> "falls asleep", writer.asleep()));
    Set<KekVersion> all = state.keystore().versions().keySet();
    if (!writer.keys().loaded().equals(all)) {
      steps.add(step(() -> "loads every version", writer.withLoaded(all)));
    }
    addRoundTrip(steps);
    addSealing(steps);
  }

  /// The heartbeat and the keystore read that follows are two steps: a gate may come between them.
  private void addRoundTrip(List<Step<RotationModelState>> steps) {
    if (!writer.withHeartbeat().equals(writer)) {
      steps.add(step(() -> "sends a heartbeat", writer.withHeartbeat()));
    }
    if (writer.isInRoster() || state.protocol().joinOrder() == JoinOrder.READ_FIRST) {
      Keystore keystore = state.keystore();
      boolean admitted =
          !state.isHeld() && state.protocol().isAdmitted(keystore, writer.keys().loaded());
      WriterState next =
          writer.withKeystoreRead(keystore, admitted ? SealRight.ADMITTED : SealRight.NONE);
      if (!next.equals(writer)) {
        steps.add(step(() -> "reads the keystore and is " + next.sealRight(), next));
      }
    }
  }

  private void addSealing(List<Step<RotationModelState>> steps) {
    SealedValue sealedValue = writer.sealedValue();
    if (sealedValue != null) {
      steps.add(new Step<>(() -> "writer " + index + " writes " + sealedValue, write(sealedValue)));
    } else if (writer.sealRight() != SealRight.NONE) {
      for (int record = 0; record < state.records().size(); record++) {
        addSeals(steps, record);
      }
    }
  }

  private void addSeals(List<Step<RotationModelState>> steps, int record) {
    for (int field = 0; field < state.records().get(record).byField().size(); field++) {
      SealedValue value = new SealedValue(record, field, writer.keystoreView().active());
      steps.add(step(() -> "seals " + value, writer.withSealed(value)));
    }
  }

  /// Writes one field without comparing, like code that does not use Keyfleet.
  private RotationModelState write(SealedValue sealedValue) {
    FieldVersions after =
        state.records().get(sealedValue.record()).with(sealedValue.field(), sealedValue.version());
    return withWriter(writer.withSealed(null)).withWrite(sealedValue.record(), after);
  }

  private Step<RotationModelState> step(Supplier<String> description, WriterState next) {
    return new Step<>(() -> "writer " + index + " " + description.get(), withWriter(next));
  }

  private RotationModelState withWriter(WriterState next) {
    List<WriterState> writers = new ArrayList<>(state.writers());
    writers.set(index, next);
    return state.withWriters(writers);
  }
}
