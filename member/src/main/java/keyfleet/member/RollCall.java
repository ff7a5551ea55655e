package keyfleet.member;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import keyfleet.keyring.Heartbeat;
import keyfleet.store.Document;
import keyfleet.store.Entry;

/// A roster while it is read: entries come in one after another, and are made heartbeats in parts.
/// The parts of a large fleet are made by all cores while more entries come in, and no entry is
/// kept: its bytes and its document are several times as large as the heartbeat.
final class RollCall {
  /// Fewer are not worth another thread.
  private static final int PART = 500;

  /// Parts that are waited for at a time. A store that reads faster than we do waits for us.
  private static final int MOST = 8;

  private final Deque<CompletableFuture<List<Heartbeat>>> begun = new ArrayDeque<>();
  private final List<Heartbeat> made = new ArrayList<>();
  private List<Entry> part = new ArrayList<>();

  void add(Entry entry) {
    part.add(entry);
    if (part.size() == PART) {
      List<Entry> whole = part;
      part = new ArrayList<>(PART);
      begun.add(CompletableFuture.supplyAsync(() -> heartbeats(whole)));
    }
    if (begun.size() > MOST) {
      made.addAll(asked(begun.removeFirst()));
    }
  }

  /// In the order in which they came. Throws [keyfleet.store.MalformedException] if one cannot be
  /// read.
  List<Heartbeat> heartbeats() {
    begun.forEach(it -> made.addAll(asked(it)));
    begun.clear();
    made.addAll(heartbeats(part));
    part = List.of();
    return made;
  }

  private static List<Heartbeat> heartbeats(List<Entry> entries) {
    List<Heartbeat> heartbeats = new ArrayList<>(entries.size());
    CommonWords common = new CommonWords();
    for (Entry entry : entries) {
      Document document = Document.parse(entry.value());
      heartbeats.add(HeartbeatDocument.read(document, entry.writtenAt(), common));
    }
    return heartbeats;
  }

  /// What was thrown, not that a thread failed.
  private static List<Heartbeat> asked(CompletableFuture<List<Heartbeat>> part) {
    try {
      return part.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
