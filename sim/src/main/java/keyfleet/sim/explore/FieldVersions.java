package keyfleet.sim.explore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.VersionEntry;
import keyfleet.store.Bytes;
import keyfleet.store.SealedFields;

/// The version of each sealed field of one record.
public record FieldVersions(List<KekVersion> byField) {
  public FieldVersions {
    byField = List.copyOf(byField);
  }

  static FieldVersions all(int fields, KekVersion version) {
    return new FieldVersions(Collections.nCopies(fields, version));
  }

  boolean contains(KekVersion version) {
    return byField.contains(version);
  }

  FieldVersions rewrapped(KekVersion to) {
    return all(byField.size(), to);
  }

  FieldVersions with(int field, KekVersion version) {
    List<KekVersion> changed = new ArrayList<>(byField);
    changed.set(field, version);
    return new FieldVersions(changed);
  }

  /// The record as a store sees it. The sentinel of a version stands for a value under that
  /// version, because the store reads only the tag.
  SealedFields toSealedFields(Keystore keystore) {
    Map<String, Bytes> byName = new TreeMap<>();
    for (KekVersion version : byField) {
      VersionEntry entry = keystore.versions().get(version);
      if (entry == null) {
        throw new IllegalStateException(version + " is not in the keystore");
      }
      byName.put("field-" + byName.size(), Bytes.copyOf(entry.sentinel().envelope().toBytes()));
    }
    return SealedFields.of(byName);
  }
}
