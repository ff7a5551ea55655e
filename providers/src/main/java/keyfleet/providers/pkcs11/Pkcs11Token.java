package keyfleet.providers.pkcs11;

import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.function.Supplier;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.crypto.KeyfleetException;
import keyfleet.crypto.SecretBytes;
import keyfleet.providers.ProviderException;
import org.jspecify.annotations.Nullable;

/// A provider's connection to its token: the slot, found by the label of the token because slot
/// numbers change; the login; and sessions, as many as the module has threads. It connects on first
/// use, and again after each restart of the module.
final class Pkcs11Token implements AutoCloseable {
  /// The `anchor` session is never used for work. The login lasts while it is open, even if all
  /// other sessions are closed.
  private record Connection(Pkcs11Module module, long slot, Pkcs11Session anchor) {}

  private static final int MAX_TRIES = 3;

  private final Pkcs11Settings settings;
  private final Pkcs11ModuleRegistry modules;
  private final Object connectLock = new Object();
  private final Deque<Pkcs11Session> idleSessions = new ConcurrentLinkedDeque<>();
  private @Nullable Pkcs11Module acquiredModule;
  private volatile @Nullable Connection connection;
  private volatile boolean closed;

  Pkcs11Token(Pkcs11Settings settings, Pkcs11ModuleRegistry modules) {
    this.settings = settings;
    this.modules = modules;
  }

  String label() {
    return settings.tokenLabel();
  }

  /// Runs `work` on a thread of the module while connected; `work` may use sessions.
  <T> T run(Supplier<T> work) {
    return call(module -> runConnected(module, work));
  }

  private <T> T call(Function<Pkcs11Module, T> work) {
    Pkcs11Module module = acquireModule();
    try {
      return module.call(() -> work.apply(module));
    } catch (CryptokiException e) {
      throw new KekUnavailableException("token " + label() + ": " + e.getMessage(), e);
    }
  }

  /// Another provider may restart the module between connecting and the work.
  private <T> T runConnected(Pkcs11Module module, Supplier<T> work) {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      connect(module);
      Optional<T> answer =
          module.withGeneration(
              current -> isConnected(current) ? Optional.of(work.get()) : Optional.empty());
      if (answer.isPresent()) {
        return answer.get();
      }
    }
    throw new KekUnavailableException(
        "the PKCS#11 module " + module.path() + " was restarted too often");
  }

  <T> T withSession(Function<Pkcs11Session, T> work) {
    Pkcs11Session session = idleSessions.poll();
    return session != null && session.generation() == currentConnection().anchor().generation()
        ? runInSession(session, work)
        : withFreshSession(work);
  }

  /// Runs `work` in a session that is new and logged in: a token may lose the login, or other code
  /// of this process may end it.
  <T> T withFreshSession(Function<Pkcs11Session, T> work) {
    Connection current = currentConnection();
    Pkcs11Session fresh = open(current.module(), current.anchor().generation(), current.slot());
    return runInSession(
        fresh,
        session -> {
          if (!session.cryptoki().isLoggedIn(session.handle())) {
            login(current.module(), session);
          }
          return work.apply(session);
        });
  }

  /// A session in which anything failed is not used again.
  private <T> T runInSession(Pkcs11Session session, Function<Pkcs11Session, T> work) {
    T answer;
    try {
      answer = work.apply(session);
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
    if (closed || idleSessions.size() >= Pkcs11ThreadPool.MAX_THREADS) {
      session.close();
    } else {
      idleSessions.push(session);
    }
    return answer;
  }

  /// Throws if the token or the login is gone. An empty search proves nothing: SoftHSM returns one
  /// for a token whose folder has disappeared, and every token hides private keys from a session
  /// that is not logged in.
  void checkPresent(Pkcs11Session session) {
    if (!session.cryptoki().isLoggedIn(session.handle())) {
      throw new KekUnavailableException("token " + label() + " is no longer logged in");
    }
    if (!session.cryptoki().tokenLabel(currentConnection().slot()).equals(label())) {
      throw new KekUnavailableException(
          "the slot of token " + label() + " now holds another token");
    }
  }

  /// Whether the login can be repeated after a restart.
  boolean canRestart() {
    return settings.pin() instanceof Pkcs11Settings.PinFile;
  }

  /// Restarts the module, for a token that may have come back.
  void restart() {
    call(module -> {
      Connection old = connection;
      if (old != null) {
        module.restart(old.anchor().generation());
      }
      return true;
    });
  }

  private Connection currentConnection() {
    Connection current = connection;
    if (current == null) {
      throw new KekUnavailableException("token " + label() + " is being connected");
    }
    return current;
  }

  private synchronized Pkcs11Module acquireModule() {
    if (closed) {
      throw new KekUnavailableException("the provider of token " + label() + " was closed");
    }
    Pkcs11Module module =
        acquiredModule == null ? modules.acquire(settings.module()) : acquiredModule;
    acquiredModule = module;
    return module;
  }

  private void connect(Pkcs11Module module) {
    synchronized (connectLock) {
      if (module.withGeneration(this::isConnected)) {
        return;
      }
      connection = null;
      idleSessions.clear(); // not closed: their handles may name newer sessions by now
      int generation = module.withGeneration(current -> tryConnect(module, current));
      if (connection == null) {
        module.restart(generation); // a module may list the slots it saw when it started
        module.withGeneration(current -> tryConnect(module, current));
      }
      if (connection == null) {
        throw tokenNotFound(module.withGeneration(_ -> labels(module.cryptoki())));
      }
    }
  }

  private boolean isConnected(int generation) {
    Connection current = connection;
    return current != null && current.anchor().generation() == generation;
  }

  private int tryConnect(Pkcs11Module module, int generation) {
    Cryptoki cryptoki = module.cryptoki();
    List<Long> slots = new ArrayList<>();
    for (long slot : cryptoki.slots()) {
      if (labelOf(cryptoki, slot).equals(label())) {
        slots.add(slot);
      }
    }
    if (slots.size() > 1) {
      throw new ProviderException(
          slots.size() + " tokens of " + settings.module() + " are labelled " + label(),
          "give each token a label of its own");
    }
    if (!slots.isEmpty()) {
      connection = openConnection(module, generation, slots.getFirst());
    }
    return generation;
  }

  private Connection openConnection(Pkcs11Module module, int generation, long slot) {
    if (!module.cryptoki().hasMechanism(slot, Cryptoki.CKM_AES_GCM)) {
      throw new ProviderException(
          "token " + label() + " does not support AES-GCM (CKM_AES_GCM)", "use a token that does");
    }
    Pkcs11Session anchor = open(module, generation, slot);
    try {
      login(module, anchor);
      return new Connection(module, slot, anchor);
    } catch (RuntimeException e) {
      anchor.close();
      throw e;
    }
  }

  private static Pkcs11Session open(Pkcs11Module module, int generation, long slot) {
    Cryptoki cryptoki = module.cryptoki();
    return new Pkcs11Session(cryptoki, generation, cryptoki.openSession(slot));
  }

  private void login(Pkcs11Module module, Pkcs11Session session) {
    try (SecretBytes pin = Pkcs11PinReader.read(settings.pin())) {
      module.login().login(session, label(), pin);
    }
  }

  private ProviderException tokenNotFound(List<String> others) {
    return new ProviderException(
        "no token of "
            + settings.module()
            + " is labelled "
            + label()
            + (others.isEmpty() ? "; it has no token" : "; it has: " + String.join(", ", others)),
        "name one of them with token=LABEL, or initialise a token of that label");
  }

  private static List<String> labels(Cryptoki cryptoki) {
    List<String> labels = new ArrayList<>();
    for (long slot : cryptoki.slots()) {
      labels.add(labelOf(cryptoki, slot));
    }
    labels.removeIf(String::isEmpty);
    return labels;
  }

  /// Empty for a token that has no label or does not answer.
  private static String labelOf(Cryptoki cryptoki, long slot) {
    try {
      return cryptoki.tokenLabel(slot);
    } catch (CryptokiException e) {
      return "";
    }
  }

  @Override
  public void close() {
    Pkcs11Module module;
    synchronized (this) {
      closed = true;
      module = acquiredModule;
      acquiredModule = null;
    }
    if (module == null) {
      return;
    }
    try {
      module.call(() -> module.withGeneration(this::closeSessions));
    } catch (KeyfleetException e) {
      // the token does not answer, so it has no sessions to close
    } finally {
      modules.release(module);
    }
  }

  private boolean closeSessions(int generation) {
    Connection last = connection;
    connection = null;
    if (last != null && last.anchor().generation() == generation) {
      idleSessions.forEach(Pkcs11Session::close);
      last.anchor().close();
    }
    idleSessions.clear();
    return true;
  }
}
