package keyfleet.providers.pkcs11;

/// A Cryptoki function returned something else than CKR_OK. It never leaves this package: a caller
/// that knows the purpose of the call turns it into a message for operators.
final class CryptokiException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Cryptoki.Function function;
  private final long code;

  CryptokiException(Cryptoki.Function function, long code) {
    super(function.symbol() + " answered " + CryptokiResult.nameOf(code));
    this.function = function;
    this.code = code;
  }

  long code() {
    return code;
  }

  boolean isFrom(Cryptoki.Function other) {
    return function == other;
  }

  boolean is(CryptokiResult result) {
    return code == result.code();
  }
}
