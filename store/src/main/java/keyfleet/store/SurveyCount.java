package keyfleet.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Survey.Cause;
import keyfleet.store.Survey.Find;
import keyfleet.store.Survey.Form;
import keyfleet.store.Survey.Gap;
import org.jspecify.annotations.Nullable;

/// Collects the findings of a scan.
public final class SurveyCount {
  /// A limit, because documents can have any number of fields and a longer list is not read by
  /// people.
  static final int MAX_FINDS = 1_000;

  private record Spot(String collection, String field, Form form) {}

  private static final class Tally {
    private final SortedMap<KekVersion, Long> versions = new TreeMap<>();
    private long unreadable;
  }

  private final Map<Spot, Tally> finds = new LinkedHashMap<>();
  private final SequencedSet<Gap> gaps = new LinkedHashSet<>();

  /// `version` is null for a value that only begins like an envelope.
  public void found(
      String collection, String field, Form form, @Nullable KekVersion version, long count) {
    Spot spot = new Spot(collection, field, form);
    if (finds.size() == MAX_FINDS && !finds.containsKey(spot)) {
      leave("further fields of " + collection, MAX_FINDS + " undeclared fields were already found");
      return;
    }
    Tally tally = finds.computeIfAbsent(spot, _ -> new Tally());
    if (version == null) {
      tally.unreadable += count;
    } else {
      tally.versions.merge(version, count, Long::sum);
    }
  }

  public void leave(String what, String reason) {
    gaps.add(new Gap(what, reason, Cause.RULE));
  }

  public void fail(String what, String reason) {
    gaps.add(new Gap(what, reason, Cause.TROUBLE));
  }

  /// For a collection with more rows than the sample reads.
  public void leaveRest(String collection, long rows) {
    leave(collection + ", all but " + rows + " rows", "only a sample was requested");
  }

  public Survey survey() {
    List<Find> found = new ArrayList<>();
    finds.forEach((spot, tally) ->
        found.add(
            new Find(
                spot.collection(), spot.field(), spot.form(), tally.versions, tally.unreadable)));
    return new Survey(found, List.copyOf(gaps));
  }
}
