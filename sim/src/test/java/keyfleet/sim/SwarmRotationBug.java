package keyfleet.sim;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.member.document.HeartbeatDocument;
import keyfleet.member.document.KeystoreDocument;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.Value;

/// Bugs that an implementation of rotations could have. H1 to H8 are the hazards of
/// `docs/internals/key-rules.md`.
enum SwarmRotationBug implements PortWrappers {
  NO_FENCE {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.STORE ? new BuggyRecords.NoFence(records) : records;
    }
  },
  FENCE_WITHOUT_EPOCH {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.STORE ? new BuggyRecords.FenceWithoutEpoch(records) : records;
    }
  },
  FENCE_AS_LOWER_BOUND {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.STORE ? new BuggyRecords.FenceAsLowerBound(records) : records;
    }
  },
  FENCE_AFTER_PROOF {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER ? new BuggyRecords.NoClosingFence(records) : records;
    }
  },
  NO_LEASE {
    @Override
    public LongSupplier wrapClock(PortUser user, LongSupplier clock) {
      return user == PortUser.APPLICATION ? () -> 0 : clock;
    }
  },
  SWEEP_SKIPPED {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER ? new BuggyRecords.NoScan(records) : records;
    }
  },
  PROOF_WITHOUT_COUNTING {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER ? new BuggyRecords.NoCensus(records) : records;
    }
  },
  LOWEST_VERSION_COUNTED {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER || user == PortUser.OPERATOR
          ? new BuggyRecords.LowestVersionOnly(records)
          : records;
    }
  },
  ACK_BEFORE_WRITE {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.STORE ? new BuggyRecords.AckBeforeWrite(records) : records;
    }
  },
  REWRAP_WITHOUT_COMPARING {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER ? new BuggyRecords.BlindWrite(records) : records;
    }
  },
  REWRAP_OF_THE_WRONG_FIELD {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER ? new BuggyRecords.FirstFieldEverywhere(records) : records;
    }
  },
  LIST_BEFORE_STAGE {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.WORKER ? new BuggyKv.ListBeforeStage(kv) : kv;
    }
  },
  READ_BEFORE_BEAT {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.MEMBER ? new BuggyKv.ReadBeforeHeartbeat(kv) : kv;
    }
  },
  KEYSTORE_BY_PUT {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.STORE
          ? kv
          : new BuggyKv.PutInsteadOfUpdate(kv, SwarmRotationBug::isKeystore);
    }
  },
  H1_PAUSED_PROCESS {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.STORE ? new BuggyRecords.NoFence(records) : records;
    }

    @Override
    public LongSupplier wrapClock(PortUser user, LongSupplier clock) {
      return user == PortUser.APPLICATION ? () -> 0 : clock;
    }

    @Override
    public boolean hasWriteLease() {
      return false;
    }
  },
  H2_VACUOUS_GATE {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.WORKER
          ? new BuggyKv.FilteredList(kv, SwarmRotationBug::isNoLaggard)
          : kv;
    }
  },
  H3_NOTHING_ASKED_AT_THE_START {
    @Override
    public Kv wrapKv(PortUser user, Kv kv) {
      return user == PortUser.MEMBER ? misread(kv, SwarmRotationBug::withoutRequiredVersions) : kv;
    }
  },
  H8_OUTER_VERSION_BELIEVED {
    @Override
    public Records wrapRecords(PortUser user, Records records) {
      return user == PortUser.WORKER || user == PortUser.OPERATOR
          ? new BuggyRecords.OuterVersion(records)
          : records;
    }
  };

  private static boolean isKeystore(Bucket bucket, Key key) {
    return bucket.name().equals("keystores");
  }

  private static Kv misread(Kv kv, UnaryOperator<Keystore> reading) {
    return new BuggyKv.Misread(kv, SwarmRotationBug::isKeystore, value -> readAs(value, reading));
  }

  private static Value readAs(Value value, UnaryOperator<Keystore> reading) {
    Keystore keystore = KeystoreDocument.parse(Document.parse(value));
    return KeystoreDocument.toDocument(reading.apply(keystore), "bent").toValue();
  }

  /// A gate that sees only processes that are ready always passes.
  private static boolean isNoLaggard(Bucket bucket, Entry entry) {
    if (!bucket.name().equals("process_heartbeats")) {
      return true;
    }
    var heartbeat = HeartbeatDocument.parse(entry.value(), entry.writtenAt());
    return heartbeat.loadedVersions().size() > 1;
  }

  /// A process needs no version but the active one.
  private static Keystore withoutRequiredVersions(Keystore keystore) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    versions.replaceAll((_, known) ->
        known.state() == VersionState.STAGED || known.state() == VersionState.DECRYPT_ONLY
            ? new VersionEntry(known.provider(), known.sentinel(), VersionState.ANNOUNCED)
            : known);
    return with(keystore, keystore.rotation(), versions);
  }

  private static Keystore with(
      Keystore keystore, Rotation rotation, SortedMap<KekVersion, VersionEntry> versions) {
    return new Keystore(
        keystore.identity(),
        keystore.epoch(),
        keystore.active(),
        keystore.writable(),
        keystore.timings(),
        rotation,
        versions,
        keystore.activations());
  }
}
