package keyfleet.providers.pkcs11;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.ProviderException;

/// A PKCS#11 module in this process. Initialising or finalising it affects every session of the
/// process, so both wait until no call is in progress.
///
/// Some modules see a token that was removed and came back only after they were finalised and
/// initialised again. Each start is a new generation: handles of an older generation mean nothing
/// or, worse, something else.
final class Pkcs11Module {
  private enum State {
    STOPPED,
    STARTED,
    /// Other code of this process initialised the module, so this class must not finalise it.
    STARTED_BY_OTHERS
  }

  private final Path path;
  private final Cryptoki cryptoki;
  private final Pkcs11ThreadPool threads;
  private final Pkcs11Login login;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private volatile State state = State.STOPPED;
  private int generation;

  Pkcs11Module(Path path, Cryptoki cryptoki, Pkcs11ThreadPool threads) {
    this.path = path;
    this.cryptoki = cryptoki;
    this.threads = threads;
    this.login = new Pkcs11Login(new SecureRandom());
  }

  Path path() {
    return path;
  }

  Cryptoki cryptoki() {
    return cryptoki;
  }

  Pkcs11Login login() {
    return login;
  }

  /// Runs `work` on a thread of the module; `withGeneration` and `restart` must be called there.
  <T> T call(Callable<T> work) {
    return threads.call(work);
  }

  /// Runs `work` with the current generation, which stays current until `work` ends.
  <T> T withGeneration(IntFunction<T> work) {
    if (state == State.STOPPED) {
      runExclusively(this::initialize);
    }
    lock.readLock().lock();
    try {
      return work.apply(generation);
    } finally {
      lock.readLock().unlock();
    }
  }

  /// Starts a new generation, unless another thread did so after `seenGeneration`.
  void restart(int seenGeneration) {
    runExclusively(() -> {
      if (generation == seenGeneration) {
        finalizeModule();
      }
      initialize();
    });
  }

  void stop() {
    try {
      call(() -> {
        runExclusively(this::finalizeModule);
        return true;
      });
    } finally {
      threads.close();
    }
  }

  private void initialize() {
    if (state != State.STOPPED) {
      return;
    }
    try {
      cryptoki.initialize();
      state = State.STARTED;
    } catch (CryptokiException e) {
      if (!e.is(CryptokiResult.CRYPTOKI_ALREADY_INITIALIZED)) {
        throw new ProviderException(
            "the PKCS#11 module " + path + " does not start: " + e.getMessage(),
            "check the module's own configuration (for SoftHSM: SOFTHSM2_CONF)",
            e);
      }
      state = State.STARTED_BY_OTHERS;
    }
    generation++;
    login.forget();
  }

  private void finalizeModule() {
    if (state == State.STARTED) {
      state = State.STOPPED;
      cryptoki.finalizeLibrary();
    }
  }

  private void runExclusively(Runnable work) {
    try {
      if (!lock.writeLock().tryLock(threads.callTimeout().toNanos(), TimeUnit.NANOSECONDS)) {
        throw new KekUnavailableException(
            "calls into the PKCS#11 module " + path + " do not return");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KekUnavailableException(
          "interrupted while waiting for the PKCS#11 module " + path, e);
    }
    try {
      work.run();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
