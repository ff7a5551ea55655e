package keyfleet.providers.pkcs11;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import keyfleet.crypto.KekUnavailableException;

/// The modules in use, each once: to PKCS#11 a process is one application, so two providers of one
/// module share its start, its logins and its end. The last release finalises the module.
final class Pkcs11ModuleRegistry {
  /// Process-wide, because the state of a module is.
  private static final Pkcs11ModuleRegistry PROCESS_WIDE =
      new Pkcs11ModuleRegistry(Cryptoki::open, Pkcs11ThreadPool.CALL_TIMEOUT);

  private record ModuleUse(Pkcs11Module module, int holders) {}

  private final Function<Path, Cryptoki> opener;
  private final Duration callTimeout;
  private final Map<Path, ModuleUse> uses = new HashMap<>();

  Pkcs11ModuleRegistry(Function<Path, Cryptoki> opener, Duration callTimeout) {
    this.opener = opener;
    this.callTimeout = callTimeout;
  }

  static Pkcs11ModuleRegistry processWide() {
    return PROCESS_WIDE;
  }

  synchronized Pkcs11Module acquire(Path path) {
    Path real = realPath(path);
    ModuleUse use = uses.get(real);
    Pkcs11Module module =
        use == null
            ? new Pkcs11Module(path, opener.apply(path), new Pkcs11ThreadPool(callTimeout))
            : use.module();
    uses.put(real, new ModuleUse(module, use == null ? 1 : use.holders() + 1));
    return module;
  }

  synchronized void release(Pkcs11Module module) {
    uses.replaceAll(
        (_, use) -> use.module() == module ? new ModuleUse(module, use.holders() - 1) : use);
    if (uses.values().removeIf(use -> use.holders() == 0)) {
      stop(module);
    }
  }

  private static void stop(Pkcs11Module module) {
    try {
      module.stop();
    } catch (KekUnavailableException | CryptokiException e) {
      // it hangs or is broken: only the end of the process can stop it
    }
  }

  /// Two links to one module are one module.
  private static Path realPath(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath(); // opening it reports what is wrong
    }
  }
}
