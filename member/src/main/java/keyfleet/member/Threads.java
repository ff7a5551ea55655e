package keyfleet.member;

import java.util.function.Consumer;

/// On whose time a member works: its own threads', or a test's.
interface Threads {
  /// Where events go, so that nobody who reads them keeps a round from being made.
  Consumer<MemberEvent> reader(Observer observer);

  /// Calls [Rounds#runOrTell] whenever a round is due.
  void start(Rounds rounds);

  /// No round comes any more. If any ever did, the last thing done is [Rounds#end].
  void stop();
}
