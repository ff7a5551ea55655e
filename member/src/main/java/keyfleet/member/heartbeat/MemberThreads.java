package keyfleet.member.heartbeat;

import java.util.function.Consumer;
import keyfleet.member.MemberEvent;
import keyfleet.member.MemberListener;

/// On whose time a member works: its own threads', or a test's.
public interface MemberThreads {
  /// Where events go, so that nobody who reads them keeps a round from being made.
  Consumer<MemberEvent> eventSink(MemberListener memberListener);

  /// Calls [HeartbeatLoop#runRoundOrReport] whenever a round is due.
  void start(HeartbeatLoop heartbeatLoop);

  /// No round comes any more. If any ever did, the last thing done is [HeartbeatLoop#leave].
  void stop();
}
