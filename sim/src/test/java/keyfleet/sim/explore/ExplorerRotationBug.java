package keyfleet.sim.explore;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.sim.explore.ExplorerFixtures.InitialFault;
import keyfleet.sim.explore.ExplorerFixtures.RotationSize;
import keyfleet.store.Fence;
import keyfleet.store.SealedFields;

/// Bugs that an implementation of rotations could have. Each overrides one rule of the protocol.
enum ExplorerRotationBug implements RotationProtocol {
  /// The stores accept any version.
  NO_FENCE {
    @Override
    public boolean isWriteAllowed(Fence fence, SealedFields before, SealedFields after) {
      return true;
    }
  },

  /// A late call of a superseded driver overwrites a newer fence.
  FENCE_WITHOUT_EPOCH {
    @Override
    public boolean isFenceAccepted(Fence present, Fence offered) {
      return true;
    }
  },

  /// The fence is only a lower bound: the version that an abort leaves is above it.
  FENCE_AS_LOWER_BOUND {
    @Override
    public boolean isWriteAllowed(Fence fence, SealedFields before, SealedFields after) {
      return after.versions().stream()
          .allMatch(
              it -> before.versions().contains(it) || it.compareTo(fence.writable().first()) >= 0);
    }
  },

  /// The sweep begins before any store is fenced.
  SWEEP_BEFORE_FENCE {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent event) {
      KeystoreDecision decision = keystore.decide(event);
      return event instanceof RotationEvent.Settled(RotationEpoch rotationEpoch)
              && decision instanceof Accepted(Keystore next)
          ? next.decide(new RotationEvent.Fenced(rotationEpoch))
          : decision;
    }
  },

  /// The pass before the flip counts as complete.
  SWEEP_SKIPPED {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent event) {
      KeystoreDecision decision = keystore.decide(event);
      return event instanceof RotationEvent.Fenced(RotationEpoch rotationEpoch)
              && decision instanceof Accepted(Keystore next)
          ? decide(
              ((Accepted) next.decide(new RotationEvent.SweepEnded(rotationEpoch))).keystore(),
              new RotationEvent.Proved(rotationEpoch))
          : decision;
    }
  },

  /// The census is ignored.
  PROVED_WITHOUT_CENSUS {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent event) {
      return keystore.decide(
          event instanceof RotationEvent.OldRecordsFound(RotationEpoch rotationEpoch)
              ? new RotationEvent.Proved(rotationEpoch)
              : event);
    }
  },

  /// The fence continues to allow both versions.
  FENCE_TAKES_BOTH {
    @Override
    public Set<KekVersion> requestedVersions(Keystore keystore) {
      Set<KekVersion> both = new HashSet<>(keystore.writable());
      both.addAll(keystore.versions().keySet());
      return both;
    }
  },

  /// A joining process reads the keystore before the gate can see its heartbeat.
  READ_BEFORE_BEAT {
    @Override
    public JoinOrder joinOrder() {
      return JoinOrder.READ_FIRST;
    }
  },

  /// A joining process may seal with only the active version.
  ADMITTED_UNPROVED {
    @Override
    public boolean isAdmitted(Keystore keystore, Set<KekVersion> loaded) {
      return loaded.contains(keystore.active());
    }
  },

  /// The gate passes in spite of laggards.
  GATE_LEFT_OPEN {
    @Override
    public boolean isGatePassed(ReadinessGate.Verdict verdict) {
      return true;
    }
  },

  /// A staged version can be withdrawn, and the rotation goes on.
  STAGED_WITHDRAWN {
    @Override
    public KeystoreDecision withdraw(Keystore keystore, KekVersion version) {
      return keystore.stateOf(version).equals(Optional.of(VersionState.STAGED))
          ? new Accepted(withState(keystore, version, VersionState.WITHDRAWN))
          : keystore.withdraw(version);
    }
  },

  /// Processes follow a keystore that is behind the fence.
  HOLD_UNSEEN {
    @Override
    public boolean isHeld(Keystore keystore, SafeHold.FenceMark fence) {
      return false;
    }
  },

  /// A version that the fence accepted stays announced when the keystore is accepted.
  USED_VERSION_FORGOTTEN {
    @Override
    public KeystoreDecision acceptKeystore(Keystore keystore, SafeHold.FenceMark fence) {
      return RotationProtocol.CORRECT.acceptKeystore(keystore, fence)
              instanceof Accepted(Keystore next)
          ? new Accepted(withAnnounced(next, keystore))
          : RotationProtocol.CORRECT.acceptKeystore(keystore, fence);
    }
  };

  private static Keystore withState(Keystore keystore, KekVersion version, VersionState state) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    versions.computeIfPresent(
        version, (_, it) -> new VersionEntry(it.provider(), it.sentinel(), state));
    return with(keystore, versions);
  }

  /// `next`, with the versions announced that `before` only knew as announced.
  private static Keystore withAnnounced(Keystore next, Keystore before) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(next.versions());
    before
        .versions()
        .forEach((version, entry) -> {
          if (entry.state() == VersionState.ANNOUNCED) {
            versions.put(version, entry);
          }
        });
    return with(next, versions);
  }

  private static Keystore with(Keystore keystore, SortedMap<KekVersion, VersionEntry> versions) {
    return new Keystore(
        keystore.identity(),
        keystore.epoch(),
        keystore.active(),
        keystore.writable(),
        keystore.timings(),
        keystore.rotation(),
        versions,
        keystore.activations());
  }

  /// The smallest fleet that shows the bug.
  RotationSize rotationSize() {
    return switch (this) {
      case READ_BEFORE_BEAT,
          ADMITTED_UNPROVED,
          GATE_LEFT_OPEN,
          HOLD_UNSEEN,
          USED_VERSION_FORGOTTEN ->
          new RotationSize(1, 1, 2, 1).with(InitialFault.LATE_WRITER);
      default -> new RotationSize(1, 1, 1, 2);
    };
  }

  List<RotationOrder> orders() {
    return switch (this) {
      case FENCE_WITHOUT_EPOCH, FENCE_AS_LOWER_BOUND -> ExplorerFixtures.rotateAndAbort();
      case STAGED_WITHDRAWN -> ExplorerFixtures.rotateAbortAndWithdraw();
      case HOLD_UNSEEN, USED_VERSION_FORGOTTEN -> ExplorerFixtures.rotateAndRestore();
      default -> ExplorerFixtures.rotate();
    };
  }
}
