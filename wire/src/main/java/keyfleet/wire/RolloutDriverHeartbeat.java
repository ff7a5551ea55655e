package keyfleet.wire;

import keyfleet.store.Document;
import keyfleet.store.Value;

/// A driver's sign of life for one rollout. While the key is there, the rollout has something to be
/// driven; which lead is obeyed is said by the control record alone.
public record RolloutDriverHeartbeat(String driver, State state) {
  public enum State {
    DRIVEN,
    /// Whoever finds it may claim at once (R3).
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
