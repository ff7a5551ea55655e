package keyfleet.it.process;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.member.Member;
import keyfleet.member.MemberException;
import keyfleet.member.PlainFields;

/// A member of the fleet inside the test's own JVM. It stores records, and has the role of a worker
/// so that rotations can be ordered, but it drives none.
public final class InProcessMember {
  private InProcessMember() {}

  public static Member join(TestWiring wiring, String instance) {
    var builder =
        Member.builder(wiring.stores().kv(), TestWiring.KEYRING)
            .instance(instance)
            .role("worker")
            .collection(wiring.recordsEngine(), wiring.records(), TestWiring.ORDERS);
    wiring.providers().forEach(builder::provider);
    return builder.join();
  }

  /// A member that has just registered its collection can seal from its next heartbeat on.
  public static void awaitSealing(Member member) {
    Await.until("the member may seal", () -> canSeal(member), () -> member.state().toString());
  }

  private static boolean canSeal(Member member) {
    try (PlainFields values = OrderApplication.fields("trial", 0)) {
      var _ = member.records(TestWiring.ORDERS.name()).cipher().seal("trial", values);
      return true;
    } catch (MemberException e) {
      return false;
    }
  }

  /// Returns false while the member may not seal: on a busy machine a short lease may run out.
  public static boolean tryInsert(Member member, String id) {
    try (PlainFields values = OrderApplication.fields(id, 0)) {
      return member.records(TestWiring.ORDERS.name()).insert(id, values);
    } catch (MemberException e) {
      return false;
    }
  }

  /// Whether this number of processes has proved the version.
  public static boolean isReady(InProcessOperator operator, int version, int processes) {
    return operator.roster().heartbeats().stream()
            .map(it -> it.loadedVersions().get(new KekVersion(version)))
            .filter(it -> it instanceof LoadedVersion(_, Proved _))
            .count()
        == processes;
  }
}
