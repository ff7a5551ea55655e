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
  private final Map<Sha256, ReleaseVerdict> verdicts = new HashMap<>();

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

  /// From now on the rules check of the release returns this verdict.
  public void setVerdict(Sha256 release, ReleaseVerdict verdict) {
    verdicts.put(release, verdict);
  }

  @Override
  public FetchStatus fetch(Sha256 release) {
    crashes.reach("before fetch");
    ReleaseVerdict verdict = checkRules(release);
    FetchStatus status = statuses.getOrDefault(release, new FetchStatus.Finished(verdict));
    if (status instanceof FetchStatus.Finished(Acceptable _)) {
      slots.install(release);
    }
    crashes.reach("after fetch");
    return status;
  }

  @Override
  public ReleaseVerdict checkRules(Sha256 release) {
    return verdicts.getOrDefault(release, new Acceptable());
  }
}
