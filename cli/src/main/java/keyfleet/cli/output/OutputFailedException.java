package keyfleet.cli.output;

import java.io.IOException;

/// Output could not be written: the disk is full, the descriptor is closed, or the reader of a pipe
/// has ended. It ends the command, because whatever reads the output has only a part of it.
public final class OutputFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OutputFailedException(String stream, IOException cause) {
    super(stream + " cannot be written: " + cause.getMessage(), cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
