package keyfleet.sim.explore;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.RotationEvent.RotationEpoch;
import keyfleet.sim.explore.ExplorerFixtures.RotationSize;
import keyfleet.sim.explore.ExplorerFixtures.Trouble;
import keyfleet.store.Fence;
import keyfleet.store.SealedFields;

/// Mistakes that someone could make in building a rotation. Each bends one law.
enum ExplorerRotationBug implements RotationProtocol {
  /// The stores take any version: what the first seed does.
  NO_FENCE {
    @Override
    public boolean allowsWrite(Fence fence, SealedFields before, SealedFields after) {
      return true;
    }
  },

  /// A late call of a driver that was superseded overwrites a newer fence.
  FENCE_WITHOUT_EPOCH {
    @Override
    public boolean acceptsFence(Fence present, Fence offered) {
      return true;
    }
  },

  /// "Nothing below": the version that an abort leaves is above.
  FENCE_AS_LOWER_BOUND {
    @Override
    public boolean allowsWrite(Fence fence, SealedFields before, SealedFields after) {
      return after.versions().stream()
          .allMatch(
              it -> before.versions().contains(it) || it.compareTo(fence.writable().first()) >= 0);
    }
  },

  /// The sweep begins before any store knows of the fence.
  SWEEP_BEFORE_FENCE {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent rotationEvent) {
      KeystoreDecision keystoreDecision = keystore.decide(rotationEvent);
      return rotationEvent instanceof RotationEvent.Settled(RotationEpoch rotationEpoch)
              && keystoreDecision instanceof Accepted(Keystore next)
          ? next.decide(new RotationEvent.Fenced(rotationEpoch))
          : keystoreDecision;
    }
  },

  /// What the one pass before the flip has moved is taken for all.
  SWEEP_SKIPPED {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent rotationEvent) {
      KeystoreDecision keystoreDecision = keystore.decide(rotationEvent);
      return rotationEvent instanceof RotationEvent.Fenced(RotationEpoch rotationEpoch)
              && keystoreDecision instanceof Accepted(Keystore next)
          ? decide(
              ((Accepted) next.decide(new RotationEvent.SweepEnded(rotationEpoch))).keystore(),
              new RotationEvent.Proved(rotationEpoch))
          : keystoreDecision;
    }
  },

  /// The census is not looked at.
  PROVED_WITHOUT_CENSUS {
    @Override
    public KeystoreDecision decide(Keystore keystore, RotationEvent rotationEvent) {
      return keystore.decide(
          rotationEvent instanceof RotationEvent.OldRecordsFound(RotationEpoch rotationEpoch)
              ? new RotationEvent.Proved(rotationEpoch)
              : rotationEvent);
    }
  },

  /// The fence stays as wide as it was opened.
  FENCE_TAKES_BOTH {
    @Override
    public Set<KekVersion> requestedVersions(Keystore keystore) {
      Set<KekVersion> both = new HashSet<>(keystore.writable());
      both.addAll(keystore.versions().keySet());
      return both;
    }
  },

  /// A newcomer looks at the keystore before the gate can see it.
  READ_BEFORE_BEAT {
    @Override
    public JoinOrder joinOrder() {
      return JoinOrder.READ_FIRST;
    }
  },

  /// A newcomer may seal with the active version alone.
  ADMITTED_UNPROVED {
    @Override
    public boolean admits(Keystore keystore, Set<KekVersion> loaded) {
      return loaded.contains(keystore.active());
    }
  },

  /// A laggard does not hold the rotation up.
  GATE_LEFT_OPEN {
    @Override
    public boolean passesGate(FleetReadiness.Verdict verdict) {
      return true;
    }
  };

  /// The fewest that show the mistake.
  RotationSize rotationSize() {
    return switch (this) {
      case READ_BEFORE_BEAT, ADMITTED_UNPROVED, GATE_LEFT_OPEN ->
          new RotationSize(1, 1, 2, 1).with(Trouble.LATE_WRITER);
      default -> new RotationSize(1, 1, 1, 2);
    };
  }

  List<RotationEvent> orders() {
    return this == FENCE_WITHOUT_EPOCH || this == FENCE_AS_LOWER_BOUND
        ? ExplorerFixtures.rotateAndAbort()
        : ExplorerFixtures.rotate();
  }
}
