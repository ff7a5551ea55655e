package keyfleet.kms.grpc;

import java.util.Locale;

/// The methods of the contract.
public enum KmsMethod {
  STATUS,
  ENCRYPT,
  DECRYPT;

  /// As the contract spells it.
  public String rpcName() {
    return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
  }
}
