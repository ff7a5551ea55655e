package keyfleet.sim.explore;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
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
  };

  /// The smallest fleet that shows the bug.
  RotationSize rotationSize() {
    return switch (this) {
      case READ_BEFORE_BEAT, ADMITTED_UNPROVED, GATE_LEFT_OPEN ->
          new RotationSize(1, 1, 2, 1).with(InitialFault.LATE_WRITER);
      default -> new RotationSize(1, 1, 1, 2);
    };
  }

  List<RotationEvent> orders() {
    return this == FENCE_WITHOUT_EPOCH || this == FENCE_AS_LOWER_BOUND
        ? ExplorerFixtures.rotateAndAbort()
        : ExplorerFixtures.rotate();
  }
}
