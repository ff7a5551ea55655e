package keyfleet.keyring;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.crypto.Sentinel;

/// The keystore entry of a KEK version: the provider of its key, the sentinel that proves it, its
/// state, and whether the key is still trusted.
///
/// @param attestedClusters the clusters for which an operator attested that no object in etcd needs
///   this version
public record VersionEntry(
    String provider,
    Sentinel sentinel,
    VersionState state,
    Trust trust,
    SortedSet<String> attestedClusters) {
  /// A version stays compromised once an operator requests its revocation.
  public enum Trust {
    TRUSTED,
    COMPROMISED
  }

  public VersionEntry {
    attestedClusters = Collections.unmodifiableSortedSet(new TreeSet<>(attestedClusters));
  }

  public VersionEntry(String provider, Sentinel sentinel, VersionState state) {
    this(provider, sentinel, state, Trust.TRUSTED, new TreeSet<>());
  }

  /// What was attested holds until the version is used again.
  VersionEntry withState(VersionState newState) {
    SortedSet<String> kept = newState == VersionState.ACTIVE ? new TreeSet<>() : attestedClusters;
    return new VersionEntry(provider, sentinel, newState, trust, kept);
  }

  VersionEntry withTrustLost() {
    return new VersionEntry(provider, sentinel, state, Trust.COMPROMISED, attestedClusters);
  }

  VersionEntry withAttestedCluster(String cluster) {
    SortedSet<String> more = new TreeSet<>(attestedClusters);
    more.add(cluster);
    return new VersionEntry(provider, sentinel, state, trust, more);
  }
}
