package keyfleet.member;

/// Who is told what happens to a member, such as a log. It may block: it has a thread of its own,
/// and what it does not take in time is dropped.
@FunctionalInterface
public interface MemberListener {
  MemberListener NONE = _ -> {};

  void onEvent(MemberEvent event);
}
