package keyfleet.crypto;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// One line of a vector file: `KIND ID RESULT name=value…`, values in hex.
record TestVector(String id, String result, Map<String, String> values) {
  static List<TestVector> readAll(String resource) {
    try (InputStream in = TestVector.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no such resource: " + resource);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.startsWith("#")).map(TestVector::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static TestVector parse(String line) {
    String[] words = line.split(" ", -1);
    Map<String, String> values = new HashMap<>();
    for (int i = 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return new TestVector(words[0] + " " + words[1], words[2], Map.copyOf(values));
  }

  boolean isValid() {
    return result.equals("valid");
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException(id + " has no " + name);
    }
    return value;
  }

  /// The named values, concatenated.
  byte[] bytes(String... names) {
    StringBuilder hex = new StringBuilder();
    for (String name : names) {
      hex.append(text(name));
    }
    return HexFormat.of().parseHex(hex);
  }

  @Override
  public String toString() {
    return id + " " + result;
  }
}
