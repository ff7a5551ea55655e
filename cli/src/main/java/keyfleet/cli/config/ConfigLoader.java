package keyfleet.cli.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.providers.ProviderSpec.ProviderContext;
import org.jspecify.annotations.Nullable;

/// The surroundings of a process as its configuration makes them. The file is read when they are
/// first asked for: `--help` needs none.
public final class ConfigLoader implements Supplier<ProviderContext> {
  private final Supplier<ProviderContext> base;
  private List<Path> folders = List.of();
  private @Nullable String explicitFile;
  private @Nullable EffectiveConfig config;

  public ConfigLoader(Supplier<ProviderContext> base) {
    this.base = base;
  }

  /// Where a file is looked for; nowhere, unless set.
  public void searchIn(List<Path> newFolders) {
    folders = List.copyOf(newFolders);
  }

  /// The file to read in place of those in the folders.
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
