package keyfleet.cli.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.jspecify.annotations.Nullable;

/// Loads the configuration and supplies the process context with it: the variables, completed by
/// the file. The file is read on first use, because `--help` needs none.
public final class ConfigLoader implements Supplier<ProviderContext> {
  private final Supplier<ProviderContext> base;
  private List<Path> folders = List.of();
  private @Nullable String explicitFile;
  private @Nullable EffectiveConfig config;

  public ConfigLoader(Supplier<ProviderContext> base) {
    this.base = base;
  }

  /// Sets the folders to search. Without this call no folder is searched.
  public void searchIn(List<Path> newFolders) {
    folders = List.copyOf(newFolders);
  }

  /// Names the file to read instead of searching the folders.
  public void useFile(@Nullable String file) {
    explicitFile = file;
  }

  public EffectiveConfig config() {
    EffectiveConfig loaded = config;
    if (loaded == null) {
      loaded = load(base.get().environment());
      config = loaded;
    }
    return loaded;
  }

  @Override
  public ProviderContext get() {
    ProviderContext runtime = base.get();
    return new ProviderContext(config().environment(), runtime.random(), runtime.ticker());
  }

  private EffectiveConfig load(Map<String, String> environment) {
    Optional<ConfigFile> file =
        explicitFile == null
            ? ConfigFile.find(folders)
            : Optional.of(ConfigFile.readNamed(explicitFile));
    return file.isPresent()
        ? EffectiveConfig.of(ParsedConfig.of(file.get()), environment)
        : EffectiveConfig.of(environment);
  }
}
