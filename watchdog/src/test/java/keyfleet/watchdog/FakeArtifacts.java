package keyfleet.watchdog;

import java.util.HashMap;
import java.util.Map;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;

/// Releases that are available at once, unless a test says otherwise.
public final class FakeArtifacts implements Artifacts {
  private final FakeSlots slots;
  private final Fuse fuse;
  private final Map<Sha256, Fetching> instead = new HashMap<>();
  private final Map<Sha256, ReleaseVerdict> releaseVerdicts = new HashMap<>();

  public FakeArtifacts(FakeSlots slots, Fuse fuse) {
    this.slots = slots;
    this.fuse = fuse;
  }

  /// From now on a fetch of the release returns this status.
  public void answer(Sha256 release, Fetching fetching) {
    instead.put(release, fetching);
  }

  /// From now on a fetch succeeds again.
  public void recover(Sha256 release) {
    instead.remove(release);
  }

  public void judge(Sha256 release, ReleaseVerdict releaseVerdict) {
    releaseVerdicts.put(release, releaseVerdict);
  }

  @Override
  public Fetching fetch(Sha256 release) {
    fuse.pass("before fetch");
    ReleaseVerdict releaseVerdict = judge(release);
    Fetching fetching = instead.getOrDefault(release, new Fetching.Ended(releaseVerdict));
    if (fetching instanceof Fetching.Ended(Acceptable _)) {
      slots.put(release);
    }
    fuse.pass("after fetch");
    return fetching;
  }

  @Override
  public ReleaseVerdict judge(Sha256 release) {
    return releaseVerdicts.getOrDefault(release, new Acceptable());
  }
}
