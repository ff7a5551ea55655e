package keyfleet.wire;

import keyfleet.store.Document;
import keyfleet.store.Value;

/// A driver's heartbeat for one rollout. While the key exists, the rollout needs a driver. Which
/// driver's claim the nodes obey is only in the control record.
public record RolloutDriverHeartbeat(String driver, State state) {
  public enum State {
    DRIVEN,
    /// A driver that reads this may claim the rollout immediately (R3).
    RELEASED
  }

  public static RolloutDriverHeartbeat released(String by) {
    return new RolloutDriverHeartbeat(by, State.RELEASED);
  }

  public Value toValue(String nonce) {
    return Document.builder()
        .text("driver_id", driver)
        .text("state", DocumentFields.toText(state))
        .text("nonce", nonce)
        .build()
        .toValue();
  }

  public static RolloutDriverHeartbeat parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new RolloutDriverHeartbeat(
                document.text("driver_id"),
                DocumentFields.parseConstant(State.class, document.text("state"))));
  }
}
