package keyfleet.member;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The plaintext values of several fields of one record, by name. Closing wipes them all.
public final class PlainFields implements AutoCloseable {
  private final SortedMap<String, Plaintext> byName;

  private PlainFields(SortedMap<String, Plaintext> byName) {
    this.byName = byName;
  }

  /// Takes ownership of the values.
  public static PlainFields of(Map<String, Plaintext> byName) {
    return new PlainFields(Collections.unmodifiableSortedMap(new TreeMap<>(byName)));
  }

  public static PlainFields ofTexts(Map<String, String> byName) {
    SortedMap<String, Plaintext> all = new TreeMap<>();
    byName.forEach((name, text) -> all.put(name, Plaintext.of(text)));
    return of(all);
  }

  public SortedSet<String> names() {
    return Collections.unmodifiableSortedSet(new TreeSet<>(byName.keySet()));
  }

  SortedMap<String, Plaintext> byName() {
    return byName;
  }

  public boolean has(String name) {
    return byName.containsKey(name);
  }

  public Plaintext value(String name) {
    Plaintext value = byName.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "no field " + name + "; the fields are " + byName.keySet());
    }
    return value;
  }

  public String text(String name) {
    return value(name).text();
  }

  public byte[] bytes(String name) {
    return value(name).bytes();
  }

  @Override
  public void close() {
    byName.values().forEach(Plaintext::close);
  }

  @Override
  public String toString() {
    return "PlainFields" + byName;
  }
}
