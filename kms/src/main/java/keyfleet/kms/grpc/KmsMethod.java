package keyfleet.kms.grpc;

import java.util.Locale;

/// The methods of the KMS v2 contract.
public enum KmsMethod {
  STATUS,
  ENCRYPT,
  DECRYPT;

  /// The name in the contract, also used as a label.
  public String rpcName() {
    return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
  }
}
