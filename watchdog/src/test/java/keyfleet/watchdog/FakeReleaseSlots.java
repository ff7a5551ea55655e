package keyfleet.watchdog;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;

/// Slots in memory that record every change of the running release.
public final class FakeReleaseSlots implements ReleaseSlots {
  private static final int VERSION_LENGTH = 8;

  private final CrashInjector crashes;
  private final Set<Sha256> installed = new TreeSet<>();
  private final List<Sha256> activated = new ArrayList<>();

  public FakeReleaseSlots(Sha256 running, CrashInjector crashes) {
    this.crashes = crashes;
    installed.add(running);
    activated.add(running);
  }

  @Override
  public Sha256 running() {
    return activated.getLast();
  }

  @Override
  public ReleaseVersion runningVersion() {
    return new ReleaseVersion(running().hex().substring(0, VERSION_LENGTH));
  }

  @Override
  public Set<Sha256> installed() {
    return Set.copyOf(installed);
  }

  @Override
  public void activate(Sha256 release) {
    crashes.reach("before activate");
    if (!installed.contains(release)) {
      throw new LocalFailureException("release is not installed: " + release);
    }
    if (!release.equals(running())) {
      activated.add(release);
    }
    crashes.reach("after activate");
  }

  @Override
  public void discard(Sha256 release) {
    crashes.reach("before discard");
    if (release.equals(running())) {
      throw new LocalFailureException("the running release cannot be discarded: " + release);
    }
    installed.remove(release);
    crashes.reach("after discard");
  }

  void install(Sha256 release) {
    installed.add(release);
  }

  /// The releases that ran, one after the other, from the beginning.
  public List<Sha256> activationHistory() {
    return List.copyOf(activated);
  }
}
