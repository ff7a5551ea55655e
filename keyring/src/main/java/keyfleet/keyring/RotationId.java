package keyfleet.keyring;

/// Names one rotation, for ever.
public record RotationId(String value) {
  public RotationId {
    if (value.isBlank()) {
      throw new IllegalArgumentException("a rotation has a name");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
