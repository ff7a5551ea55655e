package keyfleet.providers.vault;

/// A request to a server, by the path after `/v1/`.
sealed interface VaultRequest {
  String path();

  record Read(String path) implements VaultRequest {}

  /// The body may hold a data key; the code that made it wipes it. Not a record, because records
  /// print their content.
  final class Write implements VaultRequest {
    private final String path;
    private final byte[] body;

    Write(String path, byte[] body) {
      this.path = path;
      this.body = body;
    }

    @Override
    public String path() {
      return path;
    }

    byte[] body() {
      return body;
    }
  }
}
