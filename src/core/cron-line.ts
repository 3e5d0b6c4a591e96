const SAFE = /^[\w./:@+,=-]+$/;
/** The PATH that cron gives its jobs. */
export const CRON_PATH = '/usr/bin:/bin';

/** One word for sh; nothing in it is special to sh any more. */
export const shellWord = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * A line for `crontab -e`: a tick every 15 minutes, with whole paths, since cron knows neither the folder nor the PATH of a terminal.
 *
 * Shape: `%` is escaped, because cron ends the command at a bare one.
 */
export function cronLine({ root, node, entry }: { root: string; node: string; entry: string }): string {
  const home = node.slice(0, node.lastIndexOf('/'));
  const path = CRON_PATH.split(':').includes(home) ? '' : `PATH=${shellWord(home)}:${CRON_PATH} `;
  const command = `cd ${shellWord(root)} && ${path}${shellWord(node)} ${shellWord(entry)} tick`;
  return `*/15 * * * * ${command.replaceAll('%', '\\%')}`;
}
