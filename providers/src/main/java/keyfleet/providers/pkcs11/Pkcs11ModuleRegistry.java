package keyfleet.providers.pkcs11;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import keyfleet.crypto.KekUnavailableException;

/// The modules in use, each once: PKCS#11 knows one application per process, so two providers of
/// one module share its start, its logins and its end. The last to give a module back finalises it.
final class Pkcs11ModuleRegistry {
  /// Process-wide, because what it stands for is.
  private static final Pkcs11ModuleRegistry OF_PROCESS =
      new Pkcs11ModuleRegistry(Cryptoki::open, Pkcs11ThreadPool.PATIENCE);

  private record ModuleUse(Pkcs11Module module, int holders) {}

  private final Function<Path, Cryptoki> opener;
  private final Duration patience;
  private final Map<Path, ModuleUse> leases = new HashMap<>();

  Pkcs11ModuleRegistry(Function<Path, Cryptoki> opener, Duration patience) {
    this.opener = opener;
    this.patience = patience;
  }

  static Pkcs11ModuleRegistry ofProcess() {
    return OF_PROCESS;
  }

  synchronized Pkcs11Module lease(Path path) {
    Path real = real(path);
    ModuleUse lease = leases.get(real);
    Pkcs11Module module =
        lease == null
            ? new Pkcs11Module(path, opener.apply(path), new Pkcs11ThreadPool(patience))
            : lease.module();
    leases.put(real, new ModuleUse(module, lease == null ? 1 : lease.holders() + 1));
    return module;
  }

  synchronized void release(Pkcs11Module module) {
    leases.replaceAll((_, lease) ->
        lease.module() == module ? new ModuleUse(module, lease.holders() - 1) : lease);
    if (leases.values().removeIf(lease -> lease.holders() == 0)) {
      stop(module);
    }
  }

  private static void stop(Pkcs11Module module) {
    try {
      module.stop();
    } catch (KekUnavailableException | CryptokiException e) {
      // it hangs or is broken: there is no other way to end it than to end the process
    }
  }

  /// One module behind two links is one module.
  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath(); // opening it will say what is wrong
    }
  }
}
