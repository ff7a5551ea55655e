package keyfleet.keyring;

/// The unique id of a rotation.
public record RotationId(String value) {
  public RotationId {
    if (value.isBlank()) {
      throw new IllegalArgumentException("a rotation id must not be blank");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
