package keyfleet.control;

import keyfleet.store.Document;
import keyfleet.store.Value;

/// A driver's sign of life for one rollout. While the key is there, the rollout has something to be
/// driven; which lead is obeyed is said by the control record alone.
record DriverBeat(String driver, State state) {
  enum State {
    DRIVEN,
    /// Whoever finds it may claim at once (R3).
    RELEASED
  }

  static DriverBeat released(String by) {
    return new DriverBeat(by, State.RELEASED);
  }

  Value toValue(String nonce) {
    return Document.builder()
        .text("driver_id", driver)
        .text("state", TaskDocument.word(state))
        .text("nonce", nonce)
        .build()
        .toValue();
  }

  static DriverBeat read(Value value) {
    return Document.parse(value)
        .as(document ->
            new DriverBeat(
                document.text("driver_id"),
                TaskDocument.constant(State.class, document.text("state"))));
  }
}
