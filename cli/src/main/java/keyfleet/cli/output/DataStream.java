package keyfleet.cli.output;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/// Standard output. A `PrintStream` ignores write errors, so the stream below it throws an
/// [OutputFailedException], which no `PrintStream` catches.
final class DataStream extends FilterOutputStream {
  private boolean hasWritten;

  DataStream(OutputStream out) {
    super(new BufferedOutputStream(out));
  }

  /// Each line is written at once, as a reader of a pipe expects.
  PrintStream toPrintStream(Charset charset) {
    return new PrintStream(this, true, charset);
  }

  /// Whether the command has printed any data.
  boolean hasWritten() {
    return hasWritten;
  }

  @Override
  public void write(int b) {
    hasWritten = true;
    try {
      out.write(b);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    hasWritten = true;
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public void flush() {
    try {
      out.flush();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private static OutputFailedException failure(IOException cause) {
    return new OutputFailedException("standard output", cause);
  }
}
