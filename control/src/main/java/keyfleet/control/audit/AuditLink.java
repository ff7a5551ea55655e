package keyfleet.control.audit;

import java.util.List;
import java.util.regex.Pattern;

/// The place of an entry: its chain, the entry before it there, and its ties to other chains.
///
/// @param chain [#KEYSTORE], or the random id of the writer: one run of a process
/// @param previous the head of the chain before this entry
/// @param keystoreHead of a writer's entry: the head of the keystore's chain that the writer has
///   read; of a keystore's entry: [AuditHead#NONE]
/// @param ties of a keystore's entry: the digests of its [AuditTie]s
public record AuditLink(
    String chain, AuditHead previous, AuditHead keystoreHead, List<String> ties) {
  /// The chain of the keystore's changes. Compare-and-set puts them in one order, so they are one
  /// chain, although they have many writers.
  public static final String KEYSTORE = "keystore";

  private static final Pattern CHAIN = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  public AuditLink {
    ties = List.copyOf(ties);
    requireChain(chain);
    boolean isOfKeystore = chain.equals(KEYSTORE);
    if (isOfKeystore != keystoreHead.equals(AuditHead.NONE) || !(isOfKeystore || ties.isEmpty())) {
      throw new IllegalArgumentException(
          "an audit entry of a writer names a keystore entry, one of the keystore names ties");
    }
  }

  static AuditLink ofKeystore(AuditHead previous, List<String> ties) {
    return new AuditLink(KEYSTORE, previous, AuditHead.NONE, ties);
  }

  static AuditLink ofWriter(AuditChainHead previous, AuditHead keystoreHead) {
    return new AuditLink(previous.chain(), previous.head(), keystoreHead, List.of());
  }

  static void requireChain(String chain) {
    if (!CHAIN.matcher(chain).matches()) {
      throw new IllegalArgumentException("not the name of an audit chain");
    }
  }

  boolean isOfKeystore() {
    return chain.equals(KEYSTORE);
  }
}
