import { PawlError } from '../../errors.ts';
import { intervalOf, type Job, minutesOf, nameOf } from './job.ts';
import { xmlText } from './xml.ts';

/** Minutes in 31 days: no longer interval is kept. */
const LONGEST = 31 * 24 * 60;

/** One argument of a command line: backslashes count only before a quote. */
function word(text: string): string {
  if (/^[^\s"]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

/**
 * A task for the Task Scheduler, as XML: a line of `schtasks` takes 261 characters, and can't say that a laptop on battery counts.
 *
 * @throws PawlError `E_USAGE` for an interval it can't keep.
 */
export function windows(job: Job): string {
  const name = `pawl-${nameOf(job)}`;
  const minutes = minutesOf(job);
  if (minutes === null || minutes > LONGEST)
    throw new PawlError('E_USAGE', `the Task Scheduler takes whole minutes up to ${LONGEST}: say --every 15m`);
  const args = [job.entry, 'tick', '--dir', job.root].map(word).join(' ');
  return `<?xml version="1.0"?>
<!-- pawl: a tick every ${intervalOf(job)}. Save as ${name}.xml, then:
  schtasks /Create /TN ${name} /XML ${name}.xml
To end it:
  schtasks /Delete /TN ${name} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers>
    <TimeTrigger>
      <Repetition>
        <Interval>PT${minutes}M</Interval>
      </Repetition>
      <StartBoundary>2026-01-01T00:00:00</StartBoundary>
    </TimeTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
  </Settings>
  <Actions>
    <Exec>
      <Command>${xmlText(job.node)}</Command>
      <Arguments>${xmlText(args)}</Arguments>
      <WorkingDirectory>${xmlText(job.root)}</WorkingDirectory>
    </Exec>
  </Actions>
</Task>
`;
}
