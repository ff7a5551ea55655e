"""Runs a command at a terminal, types a line once it asks, and prints all that the terminal shows.

    type_at_terminal.py PROMPT LINE COMMAND...
"""

import os
import pty
import select
import sys
import time

LIMIT_SECONDS = 240

prompt, line, command = sys.argv[1], sys.argv[2], sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
shown = b""
is_typed = False
deadline = time.monotonic() + LIMIT_SECONDS
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 1)
    if not ready:
        continue
    try:
        part = os.read(terminal, 4096)
    except OSError:  # the command has ended
        part = b""
    if not part:
        break
    shown += part
    if not is_typed and prompt.encode() in shown:
        os.write(terminal, line.encode() + b"\n")
        is_typed = True
else:
    os.kill(child, 9)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
