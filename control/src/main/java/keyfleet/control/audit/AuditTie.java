package keyfleet.control.audit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import keyfleet.crypto.KeyringName;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;

/// The heads of writers' chains that an entry of the keystore's chain vouches for. From then on, no
/// entry up to these heads can be removed or edited unseen.
///
/// A tie is a value of its own, because a keystore must stay small. Its key is its digest, which
/// the keystore's entry names, so two processes that store one tie write the same.
final class AuditTie {
  /// A head has about 110 bytes in JSON; a value has at most [Value#MAX_BYTES].
  private static final int MAX_HEADS = 4000;

  private static final String HEADS = "heads";

  private final Value value;

  private AuditTie(Value value) {
    this.value = value;
  }

  /// As few ties as hold all heads.
  static List<AuditTie> of(KeyringName keyring, Collection<AuditChainHead> heads) {
    List<String> texts =
        heads.stream()
            .sorted(Comparator.comparing(AuditChainHead::chain))
            .map(AuditChainHead::toString)
            .toList();
    List<AuditTie> ties = new ArrayList<>();
    for (int from = 0; from < texts.size(); from += MAX_HEADS) {
      List<String> part = texts.subList(from, Math.min(texts.size(), from + MAX_HEADS));
      Document document =
          Document.builder().text("keyring", keyring.value()).texts(HEADS, part).build();
      ties.add(new AuditTie(document.toValue()));
    }
    return ties;
  }

  Value value() {
    return value;
  }

  String digest() {
    return digest(value);
  }

  static String digest(Value value) {
    return AuditHash.of(value.bytes().toArray());
  }

  /// Throws [MalformedValueException] if the value is not a tie.
  static List<AuditChainHead> parse(Value value) {
    return Document.parse(value).texts(HEADS).stream()
        .map(text ->
            AuditChainHead.parse(text)
                .orElseThrow(() -> new MalformedValueException("not the head of an audit chain")))
        .toList();
  }
}
