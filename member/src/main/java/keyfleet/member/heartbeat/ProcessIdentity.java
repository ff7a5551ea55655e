package keyfleet.member.heartbeat;

import keyfleet.keyring.Heartbeat.ProcessInfo;
import keyfleet.keyring.Timings;
import org.jspecify.annotations.Nullable;

/// What a process knows about itself before it joins. Without its own timings it takes the fleet's.
public record ProcessIdentity(ProcessInfo process, int protocol, @Nullable Timings timings) {
  /// The protocol version of this program. Version 2 opens data keys that are wrapped in form 2.
  public static final int PROTOCOL = 2;

  public String instance() {
    return process.instance();
  }
}
