package keyfleet.control.audit;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.control.audit.AuditVerdict.Broken;
import keyfleet.control.audit.AuditVerdict.Intact;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.jspecify.annotations.Nullable;

/// Follows the keystore's chain from its first entry to the one in the keystore, and each writer's
/// chain on the way. Call [#follow(Entry)] with all entries in the order of their keys, then
/// [#verdict].
///
/// The entry in the keystore may not be in the chain yet. All others must be, and none may follow
/// it. It keeps only hashes, so that a long audit fits into memory.
final class AuditVerifier {
  /// The hashes of a writer's entries, and how many of them are tied.
  private static final class WriterChain {
    private final List<String> hashes = new ArrayList<>();
    private int tied;

    AuditHead head() {
      return hashes.isEmpty() ? AuditHead.NONE : new AuditHead(hashes.size(), hashes.getLast());
    }

    boolean contains(AuditHead head) {
      return head.number() >= 1
          && head.number() <= hashes.size()
          && hashes.get(Math.toIntExact(head.number()) - 1).equals(head.hash());
    }
  }

  private final KeyringName keyring;
  private final AuditHead knownHead;
  private final AuditEntry last;
  private final Map<String, Value> ties;
  private final Map<String, WriterChain> writerChains = new HashMap<>();
  private AuditHead head = AuditHead.NONE;
  private KeystoreFacts facts = KeystoreFacts.NONE;
  private @Nullable Broken broken;

  AuditVerifier(
      KeyringName keyring, AuditEntry last, AuditHead knownHead, Map<String, Value> ties) {
    this.keyring = keyring;
    this.last = last;
    this.knownHead = knownHead;
    this.ties = ties;
  }

  /// Ignores all entries after the first wrong one.
  void follow(Entry stored) {
    if (broken != null) {
      return;
    }
    String place = stored.key().value().substring(keyring.value().length() + 1);
    int dot = place.indexOf('.');
    broken =
        (dot < 0
                ? followKeystoreEntry(stored).map(reason -> new Broken(nextId(), reason))
                : followWriterEntry(stored, place.substring(0, dot)))
            .orElse(null);
  }

  AuditVerdict verdict(Keystore keystore) {
    if (broken == null && isLastUncopied()) {
      broken = follow(last).map(reason -> new Broken(nextId(), reason)).orElse(null);
    }
    return broken != null
        ? broken
        : checkLength()
            .<AuditVerdict>map(objection -> new Broken(nextId(), objection))
            .orElseGet(() -> verify(keystore));
  }

  private String nextId() {
    return Long.toString(head.number() + 1);
  }

  private boolean isLastUncopied() {
    return head.number() == last.number() - 1;
  }

  private Optional<String> followKeystoreEntry(Entry stored) {
    if (!stored.key().equals(keyOf(head.number() + 1))) {
      return Optional.of(missing(stored.key()));
    }
    if (head.number() >= last.number()) {
      return Optional.of(
          "the entry is not known to the keystore, which is at entry " + last.number());
    }
    try {
      return follow(AuditDocument.parse(stored.value()));
    } catch (MalformedValueException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private Key keyOf(long number) {
    return AuditEntryStore.key(keyring, number);
  }

  private static String missing(Key next) {
    return "the entry is missing; the next one is " + next;
  }

  private Optional<String> follow(AuditEntry entry) {
    if (!entry.keyring().equals(keyring)
        || !entry.link().isOfKeystore()
        || !entry.previous().equals(head)) {
      return Optional.of("the entry does not follow the entry before it");
    }
    Optional<KeystoreFacts> next = facts.after(entry.changes());
    if (next.isEmpty()) {
      return Optional.of("the entry starts from another keystore than the entry before it left");
    }
    if (entry.number() == last.number() && !entry.equals(last)) {
      return Optional.of("the keystore has another entry with this number");
    }
    if (entry.number() == knownHead.number() && !entry.head().equals(knownHead)) {
      return Optional.of("the entry is not the one that was noted");
    }
    Optional<String> objection =
        entry.link().ties().stream().flatMap(tie -> followTie(tie).stream()).findFirst();
    if (objection.isPresent()) {
      return objection;
    }
    head = entry.head();
    facts = next.get();
    return Optional.empty();
  }

  /// The tied entries have keys before that of the entry with the tie, so they were followed.
  private Optional<String> followTie(String digest) {
    Value value = ties.get(digest);
    if (value == null) {
      return Optional.of("the tie " + digest + " of the entry is missing");
    }
    if (!AuditTie.digest(value).equals(digest)) {
      return Optional.of("the tie " + digest + " of the entry was edited");
    }
    try {
      for (AuditChainHead tied : AuditTie.parse(value)) {
        WriterChain chain = writerChains.get(tied.chain());
        if (chain == null || !chain.contains(tied.head())) {
          return Optional.of(
              "entry %d of writer %s is missing or was edited; this entry of the keystore is tied to it"
                  .formatted(tied.head().number(), tied.chain()));
        }
        chain.tied = Math.max(chain.tied, Math.toIntExact(tied.head().number()));
      }
      return Optional.empty();
    } catch (MalformedValueException e) {
      return Optional.of("the tie " + digest + " of the entry is malformed: " + e.getMessage());
    }
  }

  /// @param after the word of the key that names the keystore's entry before the writer's
  private Optional<Broken> followWriterEntry(Entry stored, String after) {
    if (isLastUncopied() && keyOf(last.number()).value().endsWith("." + after)) {
      Optional<String> objection = follow(last);
      if (objection.isPresent()) {
        return objection.map(reason -> new Broken(nextId(), reason));
      }
    }
    if (!keyOf(head.number()).value().endsWith("." + after)) {
      return Optional.of(new Broken(nextId(), missing(stored.key())));
    }
    return followWriterEntry(stored)
        .map(reason -> new Broken(AuditPage.idOf(keyring, stored.key()), reason));
  }

  private Optional<String> followWriterEntry(Entry stored) {
    AuditEntry entry;
    try {
      entry = AuditDocument.parse(stored.value());
    } catch (MalformedValueException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
    if (!entry.keyring().equals(keyring) || !AuditEntryStore.key(entry).equals(stored.key())) {
      return Optional.of("the entry is not in its place");
    }
    if (!entry.link().keystoreHead().equals(head)) {
      return Optional.of("the entry names another entry of the keystore than the chain has");
    }
    WriterChain chain = writerChains.computeIfAbsent(entry.link().chain(), _ -> new WriterChain());
    if (!entry.previous().equals(chain.head())) {
      return Optional.of(
          "the entry does not follow entry %d of its writer; one is missing or was edited"
              .formatted(chain.head().number()));
    }
    chain.hashes.add(entry.head().hash());
    return Optional.empty();
  }

  private Optional<String> checkLength() {
    long most = Math.max(last.number(), knownHead.number());
    return head.number() < most
        ? Optional.of("the entry is missing; the chain once had " + most)
        : Optional.empty();
  }

  private AuditVerdict verify(Keystore keystore) {
    List<AuditChange> unaudited = facts.changesTo(KeystoreFacts.of(keystore));
    String text = unaudited.stream().map(AuditChange::text).collect(joining("; "));
    return unaudited.isEmpty()
        ? new Intact(head, untied())
        : new Broken(nextId(), "the keystore was changed without an entry: " + text);
  }

  private List<AuditChainHead> untied() {
    return writerChains.entrySet().stream()
        .filter(it -> it.getValue().tied < it.getValue().hashes.size())
        .map(it -> new AuditChainHead(it.getKey(), it.getValue().head()))
        .toList();
  }
}
