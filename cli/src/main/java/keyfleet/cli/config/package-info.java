/// Turns flags, environment variables and `keyfleet.yaml` into checked settings.
///
/// A flag wins over a variable, a variable over the file. The file is read into a [ParsedConfig];
/// [ConfigValidator] parses each value, and [EffectiveConfig] puts the values in place of the
/// variables that are not set. Code that reads a variable therefore reads the file too. The
/// settings of the long-running processes are in this package because the file is checked by the
/// same rules.
///
/// [EngineFactory] and [KekProviderSet] map store URLs and provider names to the modules that
/// implement them.
///
/// Start reading at: [ConfigLoader], [EffectiveConfig], [ConfigKeys] with [SettingSpec],
/// [ServerSettings].
@NullMarked
package keyfleet.cli.config;

import org.jspecify.annotations.NullMarked;
