package keyfleet.member;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import keyfleet.crypto.KekVersion;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.member.MemberEvent.EpochChanged;
import keyfleet.member.MemberEvent.Joined;
import keyfleet.member.MemberEvent.KeyGone;
import keyfleet.member.MemberEvent.KeyLoaded;
import keyfleet.member.MemberEvent.Left;
import keyfleet.member.MemberEvent.ProviderBack;
import keyfleet.member.MemberEvent.ProviderFailed;
import keyfleet.member.MemberEvent.ReadsOnly;
import keyfleet.member.MemberEvent.Seals;
import keyfleet.member.MemberEvent.StoreBack;
import keyfleet.member.MemberEvent.StoreLost;
import keyfleet.member.Round.Sealing;
import keyfleet.member.Standing.Admitted;
import keyfleet.member.Standing.ReadOnly;
import keyfleet.store.StoreException;
import org.jspecify.annotations.Nullable;

/// What is worth a line when one round follows another. A function of the two: a round like the one
/// before is worth none.
final class Diary {
  private static final String LEASE_END = "the store did not answer for the length of a lease";
  private static final String LEASE_REMEDY = "bring the store back; sealing goes on by itself";

  private final String instance;
  private final KeyringName keyring;
  private final Consumer<MemberEvent> reader;
  private boolean joined;
  private @Nullable Round last;

  Diary(String instance, KeyringName keyring, Consumer<MemberEvent> reader) {
    this.instance = instance;
    this.keyring = keyring;
    this.reader = reader;
  }

  void note(Round now) {
    between(last, now).forEach(reader);
    last = now;
  }

  void note(MemberEvent event) {
    reader.accept(event);
  }

  void joined() {
    joined = true;
    note(new Joined(instance, keyring));
  }

  /// Who never joined does not leave.
  void left() {
    if (joined) {
      note(new Left(instance, keyring));
    }
  }

  private List<MemberEvent> between(@Nullable Round before, Round now) {
    List<MemberEvent> events = new ArrayList<>();
    store(before, now, events);
    keys(before, now, events);
    epoch(before, now, events);
    sealing(before, now, events);
    return events;
  }

  private static void store(@Nullable Round before, Round now, List<MemberEvent> events) {
    boolean wasSilent = before != null && before.silence() != null;
    StoreException silence = now.silence();
    if (silence != null && !wasSilent) {
      events.add(new StoreLost(silence.getMessage()));
    }
    if (silence == null && wasSilent) {
      events.add(new StoreBack());
    }
  }

  private static void keys(@Nullable Round before, Round now, List<MemberEvent> events) {
    List<String> faults = before == null ? List.of() : before.keyFaults();
    now.keyFaults().stream()
        .filter(it -> !faults.contains(it))
        .forEach(it -> events.add(new ProviderFailed(it)));
    faults.stream()
        .filter(it -> !now.keyFaults().contains(it))
        .forEach(it -> events.add(new ProviderBack(it)));
    var held = new TreeMap<KekVersion, String>();
    if (before != null) {
      held.putAll(before.held());
    }
    new TreeMap<>(now.held())
        .forEach((version, provider) -> {
          if (!provider.equals(held.remove(version))) {
            events.add(new KeyLoaded(version, provider));
          }
        });
    held.keySet().forEach(version -> events.add(new KeyGone(version)));
  }

  private static void epoch(@Nullable Round before, Round now, List<MemberEvent> events) {
    Keystore was = before == null ? null : keystore(before.standing()).orElse(null);
    Keystore is = keystore(now.standing()).orElse(null);
    if (was != null && is != null && was.epoch() != is.epoch()) {
      events.add(new EpochChanged(was.epoch(), is.epoch(), is.active()));
    }
  }

  private void sealing(@Nullable Round before, Round now, List<MemberEvent> events) {
    MemberEvent is = sealing(now);
    if (before == null || !sealing(before).equals(is)) {
      events.add(is);
    }
  }

  private MemberEvent sealing(Round round) {
    return switch (round.standing()) {
      case Admitted(Keystore keystore, _) when round.sealing() == Sealing.OPEN ->
          new Seals(keystore.active(), keystore.epoch());
      case Admitted _ -> new ReadsOnly(LEASE_END, LEASE_REMEDY);
      case Standing other -> new ReadsOnly(Remedy.sentence(other), Remedy.of(keyring, other));
    };
  }

  private static Optional<Keystore> keystore(Standing standing) {
    return switch (standing) {
      case Admitted(Keystore keystore, _) -> Optional.of(keystore);
      case ReadOnly(Keystore keystore, _) -> Optional.of(keystore);
      default -> Optional.empty();
    };
  }
}
