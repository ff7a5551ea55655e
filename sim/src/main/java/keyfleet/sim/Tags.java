package keyfleet.sim;

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

/// The version that each sealed field of one record is under.
public record Tags(List<KekVersion> ofFields) {
  public Tags {
    ofFields = List.copyOf(ofFields);
  }

  static Tags all(int fields, KekVersion version) {
    return new Tags(Collections.nCopies(fields, version));
  }

  boolean carries(KekVersion version) {
    return ofFields.contains(version);
  }

  Tags moved(KekVersion to) {
    return all(ofFields.size(), to);
  }

  Tags with(int field, KekVersion version) {
    List<KekVersion> changed = new ArrayList<>(ofFields);
    changed.set(field, version);
    return new Tags(changed);
  }

  /// The record as a store sees it. Each version's sentinel stands for a value under it: the store
  /// reads nothing but the tag.
  SealedFields sealed(Keystore keystore) {
    Map<String, Bytes> byName = new TreeMap<>();
    for (KekVersion version : ofFields) {
      VersionEntry known = keystore.versions().get(version);
      if (known == null) {
        throw new IllegalStateException(version + " is not in the keystore");
      }
      byName.put("field-" + byName.size(), Bytes.copyOf(known.sentinel().envelope().toBytes()));
    }
    return SealedFields.of(byName);
  }
}
