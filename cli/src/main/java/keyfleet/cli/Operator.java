package keyfleet.cli;

import java.time.InstantSource;
import java.util.Map;
import keyfleet.control.AuditActor;
import keyfleet.control.AuditAuthor;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;

/// Who gives the commands, on which machine, and the calendar by which the audit dates them.
record Operator(String user, LocalProcess localProcess, InstantSource calendar) {
  AuditAuthor author(Map<String, String> environment) {
    String instance = ProcessSettings.instance(environment, localProcess);
    return new AuditAuthor(new AuditActor(user, localProcess.host(), instance), calendar);
  }
}
