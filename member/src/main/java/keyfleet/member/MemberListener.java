package keyfleet.member;

/// Receives the events of a member, for example to log them. It may block: a separate thread calls
/// it, and events that it does not take in time are dropped.
@FunctionalInterface
public interface MemberListener {
  MemberListener NONE = _ -> {};

  void onEvent(MemberEvent event);
}
