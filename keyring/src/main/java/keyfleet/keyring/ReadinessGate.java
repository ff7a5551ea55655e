package keyfleet.keyring;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.Proof;
import keyfleet.crypto.Sentinel.Claim;
import keyfleet.keyring.Heartbeat.Proved;
import keyfleet.keyring.Heartbeat.Untried;

/// Judges whether every process is ready for a rotation to `target`.
///
/// A process that is not fresh is not a laggard: it may be restarting. Safety does not depend on
/// it, because it must join again before it seals. An operator who wants it to count declares the
/// expected processes.
public final class ReadinessGate {
  /// Checks proofs of the target version. Only a caller that has opened the sentinel of the target
  /// can check them. For a large fleet, several threads call it at once.
  public interface ProofCheck {
    boolean isValid(Claim claim, Proof proof);
  }

  /// The processes that must be present.
  public sealed interface ExpectedProcesses {
    default String description() {
      return switch (this) {
        case AnyProcesses() -> "no particular processes";
        case AtLeast(int processes) -> "at least " + processes + " processes";
        case Named(SortedSet<String> instances) -> String.join(", ", instances);
      };
    }
  }

  public record AnyProcesses() implements ExpectedProcesses {}

  public record AtLeast(int processes) implements ExpectedProcesses {
    public AtLeast {
      if (processes < 1) {
        throw new IllegalArgumentException(
            "at least one process must be expected, not " + processes);
      }
    }
  }

  /// The declared roster: the instance names of its processes.
  public record Named(SortedSet<String> instances) implements ExpectedProcesses {
    public Named {
      if (instances.isEmpty()) {
        throw new IllegalArgumentException("a declared roster must name at least one process");
      }
      instances = Collections.unmodifiableSortedSet(new TreeSet<>(instances));
    }
  }

  public sealed interface Verdict {
    /// The processes whose last heartbeat is too old to count.
    List<Heartbeat> stale();
  }

  public record Ready(int processes, List<Heartbeat> stale) implements Verdict {}

  /// Some process is not ready, or is absent that should be present.
  ///
  /// @param silent the known plugins without a fresh heartbeat
  public record NotReady(
      List<Laggard> laggards, List<String> missing, List<KnownPlugin> silent, List<Heartbeat> stale)
      implements Verdict {}

  /// No fresh heartbeat at all. Nothing is known, so nothing is ready.
  public record NoFreshProcess(List<Heartbeat> stale) implements Verdict {}

  public record Laggard(Heartbeat heartbeat, Reason reason) {}

  public enum Reason {
    MISSING("has not loaded it"),
    OTHER_PROVIDER("has it from another provider than the keystore says"),
    OTHER_BYTES("has other bytes under its number"),
    NOT_PROVED("has not shown yet that it can use it"),
    OLD_PROTOCOL("speaks too old a protocol");

    private final String description;

    Reason(String description) {
      this.description = description;
    }

    public String description() {
      return description;
    }
  }

  private final Keystore keystore;
  private final KekVersion target;
  private final int minProtocol;
  private final ProofCheck proofCheck;
  private final List<KnownPlugin> knownPlugins;

  /// A gate for one target.
  ///
  /// @param knownPlugins the plugins that were heard before; each must be heard now
  public ReadinessGate(
      Keystore keystore,
      KekVersion target,
      int minProtocol,
      ProofCheck proofCheck,
      List<KnownPlugin> knownPlugins) {
    this.keystore = keystore;
    this.target = target;
    this.minProtocol = minProtocol;
    this.proofCheck = proofCheck;
    this.knownPlugins = List.copyOf(knownPlugins);
  }

  public Verdict evaluate(Roster roster, ExpectedProcesses expected) {
    return evaluate(RosterSummary.EMPTY, roster, expected);
  }

  /// Evaluates a roster that is too large to keep in memory, from the summaries that [#summarize]
  /// made of its parts and the rest of it. Empty if a process in a summary is no longer fresh: then
  /// the whole roster must be evaluated.
  public Optional<Verdict> evaluate(
      List<RosterSummary> parts, Roster rest, ExpectedProcesses expected) {
    RosterSummary all = parts.stream().reduce(RosterSummary.EMPTY, RosterSummary::plus);
    Duration fresh = keystore.timings().fresh();
    boolean areAllFresh =
        all.readyCount() == 0
            || (rest.isFresh(all.oldestReady(), fresh) && rest.isFresh(all.newestReady(), fresh));
    return !areAllFresh
        ? Optional.empty()
        : Optional.of(evaluate(all, rest.plus(all.unready()), expected));
  }

  /// Summarizes a part of a roster. `latest` is the time of the latest heartbeat read so far; store
  /// time is not earlier. A process that is not fresh at `latest` is therefore stale. One that is
  /// fresh at `latest` may still turn out to be stale.
  public RosterSummary summarize(
      List<Heartbeat> heartbeats, Instant latest, ExpectedProcesses expected) {
    Instant since = latest.minus(keystore.timings().fresh());
    Set<String> names = new HashSet<>();
    knownPlugins.forEach(it -> names.add(it.instance()));
    if (expected instanceof Named(SortedSet<String> instances)) {
      names.addAll(instances);
    }
    RosterSummary.Builder summary = new RosterSummary.Builder(names);
    for (Heartbeat heartbeat : heartbeats) {
      boolean ready = !heartbeat.writtenAt().isBefore(since) && laggardReason(heartbeat).isEmpty();
      summary.add(heartbeat, ready);
    }
    return summary.build();
  }

  private Verdict evaluate(RosterSummary summary, Roster others, ExpectedProcesses expected) {
    List<Heartbeat> fresh = others.fresh(keystore.timings().fresh());
    List<Heartbeat> stale = others.stale(keystore.timings().fresh());
    int processes = summary.readyCount() + fresh.size();
    if (processes == 0) {
      return new NoFreshProcess(stale);
    }
    List<Laggard> laggards = fresh.stream().flatMap(this::toLaggard).toList();
    Set<String> names = new HashSet<>(summary.readyNamed());
    fresh.forEach(heartbeat -> names.add(heartbeat.instance()));
    List<String> missing = missingProcesses(processes, names, expected);
    List<KnownPlugin> silent =
        knownPlugins.stream().filter(it -> !names.contains(it.instance())).toList();
    return laggards.isEmpty() && missing.isEmpty() && silent.isEmpty()
        ? new Ready(processes, stale)
        : new NotReady(laggards, missing, silent, stale);
  }

  private Stream<Laggard> toLaggard(Heartbeat heartbeat) {
    return laggardReason(heartbeat).map(reason -> new Laggard(heartbeat, reason)).stream();
  }

  private Optional<Reason> laggardReason(Heartbeat heartbeat) {
    Optional<Heartbeat.LoadedVersion> loaded = heartbeat.loadedVersion(target);
    if (loaded.isEmpty()) {
      return Optional.of(Reason.MISSING);
    }
    VersionEntry entry = keystore.versions().get(target);
    if (entry == null || !loaded.get().provider().equals(entry.provider())) {
      return Optional.of(Reason.OTHER_PROVIDER);
    }
    if (loaded.get().proofStatus() instanceof Untried) {
      return Optional.of(Reason.NOT_PROVED);
    }
    if (!(loaded.get().proofStatus() instanceof Proved(Proof proof))
        || !proofCheck.isValid(new Claim(heartbeat.instance(), heartbeat.epoch()), proof)) {
      return Optional.of(Reason.OTHER_BYTES);
    }
    return heartbeat.protocol() < minProtocol ? Optional.of(Reason.OLD_PROTOCOL) : Optional.empty();
  }

  private static List<String> missingProcesses(
      int fresh, Set<String> names, ExpectedProcesses expected) {
    if (expected instanceof Named(SortedSet<String> instances)) {
      return instances.stream().filter(it -> !names.contains(it)).toList();
    }
    return expected instanceof AtLeast(int processes) && fresh < processes
        ? List.of((processes - fresh) + " of " + processes + " processes")
        : List.of();
  }
}
