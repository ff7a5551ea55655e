package keyfleet.providers.vault;

/// What is asked of a server, by the path behind `/v1/`.
sealed interface VaultRequest {
  String path();

  record Read(String path) implements VaultRequest {}

  /// The body may hold a data key; whoever made it wipes it. No record, as those show what they
  /// hold.
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
