package keyfleet.member;

import keyfleet.keyring.Heartbeat.Origin;
import keyfleet.keyring.Timings;
import org.jspecify.annotations.Nullable;

/// What a process knows of itself before it joins. Without own timings it takes the fleet's.
public record Self(Origin origin, int protocol, @Nullable Timings timings) {
  /// What this program speaks.
  public static final int PROTOCOL = 1;

  public String instance() {
    return origin.instance();
  }
}
