package keyfleet.control.audit;

import java.util.Optional;

/// The head of a writer's chain.
public record AuditChainHead(String chain, AuditHead head) {
  public AuditChainHead {
    AuditLink.requireChain(chain);
  }

  /// The reverse of [#toString]; empty if the text is not a chain's head.
  static Optional<AuditChainHead> parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    try {
      String chain = text.substring(0, colon);
      return AuditHead.parse(text.substring(colon + 1)).map(it -> new AuditChainHead(chain, it));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return chain + ":" + head;
  }
}
