package keyfleet.cli.command;

import java.time.InstantSource;
import java.util.Map;
import keyfleet.control.audit.AuditActor;
import keyfleet.control.audit.AuditContext;
import keyfleet.member.LocalProcess;
import keyfleet.member.ProcessSettings;

/// The user who runs a command and the process it runs in, for the audit. The wall clock dates the
/// entries.
public record Operator(String user, LocalProcess localProcess, InstantSource wallClock) {
  AuditContext auditContext(Map<String, String> environment) {
    String instance = ProcessSettings.instance(environment, localProcess);
    return new AuditContext(new AuditActor(user, localProcess.host(), instance), wallClock);
  }
}
