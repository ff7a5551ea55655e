package keyfleet.watchdog;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// Slots in memory that record every change of the running release.
public final class FakeReleaseSlots implements ReleaseSlots {
  private static final int SHOWN = 8;

  private final CrashInjector fuse;
  private final Set<Sha256> held = new TreeSet<>();
  private final List<Sha256> ran = new ArrayList<>();

  public FakeReleaseSlots(Sha256 running, CrashInjector fuse) {
    this.fuse = fuse;
    held.add(running);
    ran.add(running);
  }

  @Override
  public Sha256 running() {
    return ran.getLast();
  }

  @Override
  public ReleaseVersion releaseVersion() {
    return new ReleaseVersion(running().hex().substring(0, SHOWN));
  }

  @Override
  public Set<Sha256> held() {
    return Set.copyOf(held);
  }

  @Override
  public void run(Sha256 release) {
    fuse.pass("before run");
    if (!held.contains(release)) {
      throw new LocalFailureException("release is not installed: " + release);
    }
    if (!release.equals(running())) {
      ran.add(release);
    }
    fuse.pass("after run");
  }

  @Override
  public void discard(Sha256 release) {
    fuse.pass("before discard");
    if (release.equals(running())) {
      throw new LocalFailureException("the running release cannot be discarded: " + release);
    }
    held.remove(release);
    fuse.pass("after discard");
  }

  void put(Sha256 release) {
    held.add(release);
  }

  /// The releases that ran, one after the other, from the beginning.
  public List<Sha256> history() {
    return List.copyOf(ran);
  }
}
