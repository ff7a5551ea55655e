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
import keyfleet.store.Bucket;
import keyfleet.store.Document;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.Value;

/// Mistakes with keys that somebody could make. H1 to H8 are how the seeds themselves have it.
enum KeyBug implements Ports {
  NO_FENCE {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.STORE ? new BentRecords.NoFence(records) : records;
    }
  },
  FENCE_WITHOUT_EPOCH {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.STORE ? new BentRecords.FenceWithoutEpoch(records) : records;
    }
  },
  FENCE_AS_LOWER_BOUND {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.STORE ? new BentRecords.FenceAsLowerBound(records) : records;
    }
  },
  FENCE_AFTER_PROOF {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER ? new BentRecords.NoClosing(records) : records;
    }
  },
  NO_LEASE {
    @Override
    public LongSupplier clock(Part part, LongSupplier clock) {
      return part == Part.APPLICATION ? () -> 0 : clock;
    }
  },
  SWEEP_SKIPPED {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER ? new BentRecords.NoScan(records) : records;
    }
  },
  PROOF_WITHOUT_COUNTING {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER ? new BentRecords.NoCensus(records) : records;
    }
  },
  LOWEST_VERSION_COUNTED {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER || part == Part.OPERATOR
          ? new BentRecords.LowestOnly(records)
          : records;
    }
  },
  ACK_BEFORE_WRITE {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.STORE ? new BentRecords.AckBeforeWrite(records) : records;
    }
  },
  REWRAP_WITHOUT_COMPARING {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER ? new BentRecords.BlindWrite(records) : records;
    }
  },
  REWRAP_OF_THE_WRONG_FIELD {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER ? new BentRecords.MixedUp(records) : records;
    }
  },
  LIST_BEFORE_STAGE {
    @Override
    public Kv kv(Part part, Kv kv) {
      return part == Part.WORKER ? new BentKv.ListFirst(kv) : kv;
    }
  },
  READ_BEFORE_BEAT {
    @Override
    public Kv kv(Part part, Kv kv) {
      return part == Part.MEMBER ? new BentKv.ReadFirst(kv) : kv;
    }
  },
  KEYSTORE_BY_PUT {
    @Override
    public Kv kv(Part part, Kv kv) {
      return part == Part.STORE ? kv : new BentKv.Put(kv, KeyBug::isKeystore);
    }
  },
  H1_PAUSED_PROCESS {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.STORE ? new BentRecords.NoFence(records) : records;
    }

    @Override
    public LongSupplier clock(Part part, LongSupplier clock) {
      return part == Part.APPLICATION ? () -> 0 : clock;
    }

    @Override
    public boolean promisesLease() {
      return false;
    }
  },
  H2_VACUOUS_GATE {
    @Override
    public Kv kv(Part part, Kv kv) {
      return part == Part.WORKER ? new BentKv.Choosy(kv, KeyBug::isNoLaggard) : kv;
    }
  },
  H3_NOTHING_ASKED_AT_THE_START {
    @Override
    public Kv kv(Part part, Kv kv) {
      return part == Part.MEMBER ? misread(kv, KeyBug::undemanding) : kv;
    }
  },
  H8_OUTER_VERSION_BELIEVED {
    @Override
    public Records records(Part part, Records records) {
      return part == Part.WORKER || part == Part.OPERATOR
          ? new BentRecords.OuterVersion(records)
          : records;
    }
  };

  private static boolean isKeystore(Bucket bucket, Key key) {
    return bucket.name().equals("keystores");
  }

  private static Kv misread(Kv kv, UnaryOperator<Keystore> reading) {
    return new BentKv.Misread(kv, KeyBug::isKeystore, value -> reread(value, reading));
  }

  private static Value reread(Value value, UnaryOperator<Keystore> reading) {
    Keystore keystore = KeystoreDocument.parse(Document.parse(value));
    return KeystoreDocument.toDocument(reading.apply(keystore), "bent").toValue();
  }

  /// A gate that counts only those who are ready finds all ready.
  private static boolean isNoLaggard(Bucket bucket, Entry entry) {
    if (!bucket.name().equals("process_heartbeats")) {
      return true;
    }
    var beat = HeartbeatDocument.parse(Document.parse(entry.value()), entry.writtenAt());
    return beat.loadedVersion().size() > 1;
  }

  /// As if nobody needed any version but the active one.
  private static Keystore undemanding(Keystore keystore) {
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
