package keyfleet.control;

/// One thing that a change made different. What is empty was not there before, or is not there
/// after.
public record AuditChange(String name, String before, String after) {
  public String words() {
    if (before.isEmpty()) {
      return name + ": " + after;
    }
    return name + ": " + before + " → " + (after.isEmpty() ? "none" : after);
  }
}
