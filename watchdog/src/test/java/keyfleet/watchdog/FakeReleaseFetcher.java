package keyfleet.watchdog;

import java.util.HashMap;
import java.util.Map;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;

/// Releases that are available at once, unless a test says otherwise.
public final class FakeReleaseFetcher implements ReleaseFetcher {
  private final FakeReleaseSlots slots;
  private final CrashInjector fuse;
  private final Map<Sha256, FetchStatus> instead = new HashMap<>();
  private final Map<Sha256, ReleaseVerdict> releaseVerdicts = new HashMap<>();

  public FakeReleaseFetcher(FakeReleaseSlots slots, CrashInjector fuse) {
    this.slots = slots;
    this.fuse = fuse;
  }

  /// From now on a fetch of the release returns this status.
  public void answer(Sha256 release, FetchStatus fetching) {
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
  public FetchStatus fetch(Sha256 release) {
    fuse.pass("before fetch");
    ReleaseVerdict releaseVerdict = judge(release);
    FetchStatus fetching = instead.getOrDefault(release, new FetchStatus.Finished(releaseVerdict));
    if (fetching instanceof FetchStatus.Finished(Acceptable _)) {
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
