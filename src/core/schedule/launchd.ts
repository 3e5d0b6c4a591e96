import { intervalOf, type Job, nameOf, secondsOf } from './job.ts';
import { xmlText } from './xml.ts';

const text = (value: string): string => `<string>${xmlText(value)}</string>`;

/** A property list for a launch agent of a user. */
export function launchd(job: Job): string {
  const label = `pawl.${nameOf(job)}`;
  const args = [job.node, job.entry, 'tick', '--dir', job.root].map((each) => `    ${text(each)}\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- pawl: a tick every ${intervalOf(job)}. Save as ~/Library/LaunchAgents/${label}.plist, then:
  launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/${label}.plist
To end it:
  launchctl bootout gui/$(id -u)/${label} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(label)}
  <key>ProgramArguments</key>
  <array>
${args}  </array>
  <key>WorkingDirectory</key>
  ${text(job.root)}
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    ${text(job.path.join(':'))}
  </dict>
  <!-- Seconds gone by. After a sleep the fires that were missed come as one. -->
  <key>StartInterval</key>
  <integer>${secondsOf(job)}</integer>
  <!-- The batch runs on when the tick has ended; without this it would be ended too. -->
  <key>AbandonProcessGroup</key>
  <true/>
</dict>
</plist>
`;
}
