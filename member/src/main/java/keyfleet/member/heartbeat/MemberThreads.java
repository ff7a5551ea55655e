package keyfleet.member.heartbeat;

import java.util.function.Consumer;
import keyfleet.member.process.ProcessEvent;

/// The threads that run a member's rounds and deliver its events: its own, or those of a test.
public interface MemberThreads {
  /// Returns a consumer that passes events to the listener without delaying a round.
  Consumer<ProcessEvent> eventSink(Consumer<ProcessEvent> listener);

  /// Calls [HeartbeatLoop#runRoundOrReport] whenever a round is due.
  void start(HeartbeatLoop loop);

  /// Stops the rounds. If any were started, [HeartbeatLoop#leave] runs last.
  void stop();
}
