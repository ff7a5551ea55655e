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
  private final Supplier<ProviderContext> bare;
  private List<Path> folders = List.of();
  private @Nullable String named;
  private @Nullable EffectiveConfig config;

  public ConfigLoader(Supplier<ProviderContext> bare) {
    this.bare = bare;
  }

  /// Where a file is looked for; nowhere, unless set.
  public void lookIn(List<Path> newFolders) {
    folders = List.copyOf(newFolders);
  }

  /// The file to read in place of those in the folders.
  public void name(@Nullable String file) {
    named = file;
  }

  public EffectiveConfig config() {
    EffectiveConfig known = config;
    if (known == null) {
      known = read(bare.get().environment());
      config = known;
    }
    return known;
  }

  @Override
  public ProviderContext get() {
    ProviderContext around = bare.get();
    return new ProviderContext(config().environment(), around.random(), around.ticker());
  }

  private EffectiveConfig read(Map<String, String> environment) {
    Optional<ConfigFile> file =
        named == null ? ConfigFile.find(folders) : Optional.of(ConfigFile.named(named));
    return file.isPresent()
        ? EffectiveConfig.of(ParsedConfig.of(file.get()), environment)
        : EffectiveConfig.of(environment);
  }
}
