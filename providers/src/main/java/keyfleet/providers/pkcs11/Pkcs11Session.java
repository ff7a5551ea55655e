package keyfleet.providers.pkcs11;

/// An open session of a token. It is valid for one `generation` of its module: after a restart the
/// same handle can name another session.
record Pkcs11Session(Cryptoki cryptoki, int generation, long handle) {
  /// Calls a function whose first parameter is the session.
  void call(Cryptoki.Function function, long a, long b) {
    cryptoki.call(function, handle, a, b);
  }

  void call(Cryptoki.Function function, long a, long b, long c, long d) {
    cryptoki.call(function, handle, a, b, c, d);
  }

  /// Closes the session if it is still alive.
  void close() {
    try {
      cryptoki.closeSession(handle);
    } catch (CryptokiException e) {
      // nothing is left to close
    }
  }
}
