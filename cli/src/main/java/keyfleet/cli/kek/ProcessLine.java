package keyfleet.cli.kek;

import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import keyfleet.cli.output.Console;
import keyfleet.keyring.Heartbeat;
import keyfleet.keyring.Heartbeat.Host;
import keyfleet.keyring.Heartbeat.LoadedVersion;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// Formats a process of the fleet as one line: `host=… pid=… loaded=[1] current=1 provider=…
/// version=…`.
record ProcessLine(Heartbeat heartbeat) {
  String toLine() {
    return "%s loaded=[%s] current=%s provider=%s version=%s"
        .formatted(
            name(),
            String.join(",", loaded().stream().map(String::valueOf).toList()),
            current() == null ? "-" : current(),
            textOr(provider(), "-"),
            textOr(Console.sanitize(heartbeat.process().software()), "-"));
  }

  /// `pod=NAME`, or `host=NAME pid=N`.
  String name() {
    Host host = heartbeat.process().host();
    return host.pod().isEmpty()
        ? "host=%s pid=%d"
            .formatted(Console.sanitize(textOr(host.name(), heartbeat.instance())), host.pid())
        : "pod=" + Console.sanitize(host.pod());
  }

  String toStaleLine(Duration age) {
    return name() + " heard=" + age.toSeconds() + "s ago" + instanceSuffix();
  }

  /// ` instance=NAME` where the name says more than host and pid, or the pod, do. Several processes
  /// of one host have it to tell them apart.
  String instanceSuffix() {
    Host host = heartbeat.process().host();
    String instance = heartbeat.instance();
    boolean isDefault =
        instance.equals(host.name() + "-" + host.pid())
            || instance.equals(host.pod())
            || instance.equals(host.name());
    return isDefault ? "" : " instance=" + Console.sanitize(instance);
  }

  void write(JsonGenerator json) {
    Host host = heartbeat.process().host();
    json.writeStringProperty("instance", heartbeat.instance())
        .writeStringProperty("hostname", host.name())
        .writeNumberProperty("pid", host.pid())
        .writeStringProperty("pod", host.pod())
        .writeStringProperty("role", heartbeat.process().role());
    json.writeArrayPropertyStart("loaded_kek_versions");
    loaded().forEach(json::writeNumber);
    json.writeEndArray();
    Integer current = current();
    if (current != null) {
      json.writeNumberProperty("current_kek_version", current);
    }
    json.writeStringProperty("provider", provider())
        .writeStringProperty("version", heartbeat.process().software());
  }

  private List<Integer> loaded() {
    return new TreeSet<>(heartbeat.loadedVersions().keySet())
        .stream().map(it -> it.number()).toList();
  }

  private @Nullable Integer current() {
    return heartbeat.current() == null ? null : heartbeat.current().number();
  }

  /// The provider of the version that the process seals under.
  private String provider() {
    LoadedVersion loadedVersion =
        heartbeat.current() == null ? null : heartbeat.loadedVersions().get(heartbeat.current());
    return loadedVersion == null ? "" : Console.sanitize(loadedVersion.provider());
  }

  private static String textOr(String text, String other) {
    return text.isEmpty() ? other : text;
  }
}
