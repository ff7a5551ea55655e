package keyfleet.watchdog;

import java.util.HashMap;
import java.util.Map;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;

/// Releases that are available at once, unless a test says otherwise.
public final class FakeReleaseFetcher implements ReleaseFetcher {
  private final FakeReleaseSlots slots;
  private final CrashInjector crashes;
  private final Map<Sha256, FetchStatus> statuses = new HashMap<>();
  private final Map<Sha256, ReleaseVerdict> releaseVerdicts = new HashMap<>();

  public FakeReleaseFetcher(FakeReleaseSlots slots, CrashInjector crashes) {
    this.slots = slots;
    this.crashes = crashes;
  }

  /// From now on a fetch of the release returns this status.
  public void setStatus(Sha256 release, FetchStatus status) {
    statuses.put(release, status);
  }

  /// From now on a fetch succeeds again.
  public void recover(Sha256 release) {
    statuses.remove(release);
  }

  public void judge(Sha256 release, ReleaseVerdict releaseVerdict) {
    releaseVerdicts.put(release, releaseVerdict);
  }

  @Override
  public FetchStatus fetch(Sha256 release) {
    crashes.reach("before fetch");
    ReleaseVerdict releaseVerdict = checkRules(release);
    FetchStatus status = statuses.getOrDefault(release, new FetchStatus.Finished(releaseVerdict));
    if (status instanceof FetchStatus.Finished(Acceptable _)) {
      slots.install(release);
    }
    crashes.reach("after fetch");
    return status;
  }

  @Override
  public ReleaseVerdict checkRules(Sha256 release) {
    return releaseVerdicts.getOrDefault(release, new Acceptable());
  }
}
