package keyfleet.control.audit;

import java.util.List;
import java.util.regex.Pattern;
import keyfleet.crypto.KeyringName;
import keyfleet.store.Key;
import org.jspecify.annotations.Nullable;

/// Some entries of an audit, newest first by store time.
///
/// @param unreadable the ids of the entries that are missing or malformed, wherever they are; a
///   verdict gives the reason
/// @param nextBefore the id before which the next page begins; null if there is none
public record AuditPage(
    List<AuditEntry> entries, List<String> unreadable, @Nullable String nextBefore) {
  private static final Pattern ZEROS = Pattern.compile("(^|\\.)0+(?=\\d+(\\.|$))");

  public AuditPage {
    entries = List.copyOf(entries);
    unreadable = List.copyOf(unreadable);
  }

  /// The id of the entry that has or should have this key.
  static String idOf(KeyringName keyring, Key key) {
    String place = key.value().substring(keyring.value().length() + 1);
    int first = place.indexOf('.');
    int last = place.lastIndexOf('.');
    if (first == last) {
      return stripZeros(place);
    }
    return stripZeros(place.substring(0, first))
        + place.substring(first, last + 1)
        + stripZeros(place.substring(last + 1));
  }

  private static String stripZeros(String digits) {
    return ZEROS.matcher(digits).replaceFirst("");
  }
}
