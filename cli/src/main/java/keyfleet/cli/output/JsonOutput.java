package keyfleet.cli.output;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/// Prints one JSON object on one line.
public final class JsonOutput {
  private JsonOutput() {}

  public static void print(PrintStream out, Consumer<JsonGenerator> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json =
        new JsonFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      fields.accept(json);
      json.writeEndObject().writeRaw('\n');
    }
    out.writeBytes(bytes.toByteArray()); // the generator would close the stream
    out.flush();
  }
}
