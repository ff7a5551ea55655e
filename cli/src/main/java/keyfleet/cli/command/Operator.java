package keyfleet.cli.command;

import java.time.InstantSource;
import java.util.Map;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;

/// Who gives the commands, on which machine, and the calendar by which the audit dates them.
public record Operator(String user, LocalProcess localProcess, InstantSource wallClock) {
  AuditContext author(Map<String, String> environment) {
    String instance = ProcessSettings.instance(environment, localProcess);
    return new AuditContext(new AuditActor(user, localProcess.host(), instance), wallClock);
  }
}
