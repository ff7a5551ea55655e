package keyfleet.store;

import keyfleet.crypto.KeyfleetException;
import org.jspecify.annotations.Nullable;

/// A stored value does not have the format that its key requires: another program or a newer
/// version wrote it. No decision may rely on such a value: what is unknown counts as not ready.
public final class MalformedValueException extends KeyfleetException {
  private static final long serialVersionUID = 1L;

  private static final String REMEDY =
      "keyfleet --version, and use the release that wrote the data if that is newer";

  public MalformedValueException(String sentence) {
    this(sentence, null);
  }

  public MalformedValueException(String sentence, @Nullable Throwable cause) {
    super(sentence, REMEDY, cause);
  }
}
