package keyfleet.member.heartbeat;

import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Timings;
import org.jspecify.annotations.Nullable;

/// What a process knows of itself before it joins. Without own timings it takes the fleet's.
public record ProcessIdentity(ProcessInfo processInfo, int protocol, @Nullable Timings timings) {
  /// What this program speaks. 2: it opens data keys that are wrapped in form 2.
  public static final int PROTOCOL = 2;

  public String instance() {
    return processInfo.instance();
  }
}
