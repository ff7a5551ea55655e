package keyfleet.wire;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.target.Facts;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The document that a node writes under its key in [RolloutKeys#NODES]: its facts, and the
/// releases that it has rolled back (R17). It stays when the node is offline, and after each
/// rollout.
public record NodeProfile(Facts facts, Quarantine quarantine) {
  public static final NodeProfile EMPTY = new NodeProfile(Facts.NONE, Quarantine.NONE);

  public Value toValue() {
    Document.Builder factsFields = Document.builder();
    facts.values().forEach(factsFields::texts);
    Document.Builder quarantineFields = Document.builder();
    quarantine.attempts().forEach((release, it) -> quarantineFields.number(release.hex(), it));
    return Document.builder()
        .document("facts", factsFields.build())
        .document("quarantined", quarantineFields.build())
        .build()
        .toValue();
  }

  public static NodeProfile parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new NodeProfile(
                facts(document.document("facts")), quarantine(document.document("quarantined"))));
  }

  private static Facts facts(Document document) {
    Map<String, List<String>> values = new HashMap<>();
    document.fieldNames().forEach(path -> values.put(path, document.texts(path)));
    return new Facts(values);
  }

  private static Quarantine quarantine(Document document) {
    SortedMap<Sha256, Integer> attempts = new TreeMap<>();
    document
        .fieldNames()
        .forEach(hex -> attempts.put(new Sha256(hex), DocumentFields.count(document, hex)));
    return new Quarantine(attempts);
  }
}
