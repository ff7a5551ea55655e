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

/// A process of the fleet as it is listed: `host=… pid=… loaded=[1] current=1 provider=…
/// version=…`.
record ProcessLine(Heartbeat beat) {
  String words() {
    return "%s loaded=[%s] current=%s provider=%s version=%s"
        .formatted(
            name(),
            String.join(",", loaded().stream().map(String::valueOf).toList()),
            current() == null ? "-" : current(),
            or(provider(), "-"),
            or(Console.plain(beat.process().software()), "-"));
  }

  /// `pod=NAME`, or `host=NAME pid=N`.
  String name() {
    Host host = beat.process().host();
    return host.pod().isEmpty()
        ? "host=%s pid=%d".formatted(Console.plain(or(host.name(), beat.instance())), host.pid())
        : "pod=" + Console.plain(host.pod());
  }

  String heard(Duration ago) {
    return name() + " heard=" + ago.toSeconds() + "s ago";
  }

  void write(JsonGenerator json) {
    Host host = beat.process().host();
    json.writeStringProperty("instance", beat.instance())
        .writeStringProperty("hostname", host.name())
        .writeNumberProperty("pid", host.pid())
        .writeStringProperty("pod", host.pod())
        .writeStringProperty("role", beat.process().role());
    json.writeArrayPropertyStart("loaded_kek_versions");
    loaded().forEach(json::writeNumber);
    json.writeEndArray();
    Integer current = current();
    if (current != null) {
      json.writeNumberProperty("current_kek_version", current);
    }
    json.writeStringProperty("provider", provider())
        .writeStringProperty("version", beat.process().software());
  }

  private List<Integer> loaded() {
    return new TreeSet<>(beat.loadedVersion().keySet()).stream().map(it -> it.number()).toList();
  }

  private @Nullable Integer current() {
    return beat.current() == null ? null : beat.current().number();
  }

  /// That of the version it seals under, which people look for first.
  private String provider() {
    LoadedVersion held = beat.current() == null ? null : beat.loadedVersion().get(beat.current());
    return held == null ? "" : Console.plain(held.provider());
  }

  private static String or(String text, String other) {
    return text.isEmpty() ? other : text;
  }
}
