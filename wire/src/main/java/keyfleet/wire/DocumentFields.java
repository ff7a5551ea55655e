package keyfleet.wire;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import keyfleet.rollout.Component;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.store.Document;

/// Fields that several documents share: a task, a driver's claim, enum constants, times and counts.
/// Enum constants are stored by name, so a constant that is stored cannot be renamed.
public final class DocumentFields {
  private DocumentFields() {}

  static Document toDocument(Task task) {
    return Document.builder()
        .text("rollout", task.rollout().value())
        .number("attempt", task.attempt())
        .text("component", task.component().value())
        .text("release", task.release().hex())
        .text("soak", task.soak().toString())
        .text("confirm_within", task.confirmWithin().toString())
        .text("health_wait", task.healthWait().toString())
        .build();
  }

  static Task task(Document document) {
    return new Task(
        new RolloutId(document.text("rollout")),
        count(document, "attempt"),
        new Component(document.text("component")),
        new Sha256(document.text("release")),
        duration(document, "soak"),
        duration(document, "confirm_within"),
        document.has("health_wait")
            ? duration(document, "health_wait")
            : RolloutTimings.DEFAULT_HEALTH_WAIT);
  }

  static Document toDocument(DriverClaim claim) {
    return Document.builder().number("epoch", claim.epoch()).text("nonce", claim.nonce()).build();
  }

  static DriverClaim claim(Document document) {
    return new DriverClaim(document.number("epoch"), document.text("nonce"));
  }

  static String toText(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  static <E extends Enum<E>> E parseConstant(Class<E> type, String text) {
    return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
  }

  static Duration duration(Document document, String name) {
    String text = document.text(name);
    try {
      return Duration.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("field " + name + " is not a duration: " + text, e);
    }
  }

  static Instant instant(Document document, String name) {
    String text = document.text(name);
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("field " + name + " is not a time: " + text, e);
    }
  }

  public static int count(Document document, String name) {
    long number = document.number(name);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("field " + name + " is out of range: " + number);
    }
    return (int) number;
  }
}
