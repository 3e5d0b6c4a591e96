import { intervalOf, type Job, minutesOf, nameOf, secondsOf } from './job.ts';

const SAFE = /^[\w./:@+,=-]+$/;

/** `%` begins a specifier wherever it stands. */
const plain = (text: string): string => text.replaceAll('%', '%%');

/** One word of a unit file, in which `$` stays what it is. */
const word = (text: string): string =>
  SAFE.test(text) ? text : `"${plain(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** One argument: systemd puts in variables there, but not into the path of the program. */
const argument = (text: string): string => word(text).replaceAll('$', '$$$$');

/** Two unit files of a user, and how to start them. */
export function systemd(job: Job): string {
  const name = `pawl-${nameOf(job)}`;
  const minutes = minutesOf(job);
  const every = minutes === null ? `${secondsOf(job)}s` : `${minutes}min`;
  const args = [job.entry, 'tick', '--wait', '--dir', job.root].map(argument).join(' ');
  return `# Two files for ~/.config/systemd/user/, each from its name on. Then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now ${name}.timer
# To run while you are logged out: loginctl enable-linger

# ${name}.service
[Unit]
Description=pawl: a tick of "${plain(job.root)}"

[Service]
Type=oneshot
# When the unit ends, systemd ends everything it started: the tick stays until its slice is done.
ExecStart=${word(job.node)} ${args}
Environment=${word(`PATH=${job.path.join(':')}`)}
# As long as the slice takes; minutes_per_item in loop.md is what bounds it.
TimeoutStartSec=infinity
# On a stop only the tick is told: it ends its workers and gives their items back. What is left after that is killed.
KillMode=mixed
# 3: this tick paused the loop. 143: it was stopped. Neither is a failure of the unit.
SuccessExitStatus=3 143

# ${name}.timer
[Unit]
Description=pawl: every ${intervalOf(job)}, "${plain(job.root)}"

[Timer]
# By time gone by, not OnCalendar=, which loses an hour when the clocks go back.
OnBootSec=2min
OnUnitActiveSec=${every}

[Install]
WantedBy=timers.target
`;
}
