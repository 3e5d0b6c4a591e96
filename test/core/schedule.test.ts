import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { cronCommand, shellWord } from '../../src/core/schedule/cron.ts';
import { entriesFor } from '../../src/core/schedule/crontab.ts';
import { printSchedule, scheduleNames, scheduleOn } from '../../src/core/schedule/index.ts';
import { type Job, searchFolders } from '../../src/core/schedule/job.ts';
import { findProgram } from '../../src/store/program.ts';
import { folder } from '../support/workspace.ts';

const MINUTE = 60_000;
const PLAIN: Job = {
  root: '/home/ann/site',
  node: '/usr/bin/node',
  entry: '/opt/pawl/dist/pawl.cjs',
  path: ['/home/ann/.local/bin', '/usr/bin', '/bin'],
  everyMs: 15 * MINUTE,
};
/** All that means something to sh, cron, systemd or XML, in the folder; less of it elsewhere. */
const ODD: Job = {
  ...PLAIN,
  root: `/home/ann/it's "50%" $HOME & <so> on\\`,
  node: '/opt/no$de %n/node',
  entry: '/opt/a b/pawl.cjs',
  path: ['/opt/no$de %n', '/usr/bin', '/bin'],
};
const every = (minutes: number): Job => ({ ...PLAIN, everyMs: minutes * MINUTE });

describe('cron', () => {
  test('A50: one line that names everything whole, below a comment that says what it is', () => {
    expect(printSchedule('cron', PLAIN)).toBe(
      `# pawl: a tick of /home/ann/site every 15 minutes, for crontab -e
*/15 * * * * PATH=/home/ann/.local/bin:/usr/bin:/bin /usr/bin/node /opt/pawl/dist/pawl.cjs tick --dir /home/ann/site
`,
    );
  });

  test('leaves out a PATH that is the one of cron itself', () => {
    expect(printSchedule('cron', { ...PLAIN, path: ['/usr/bin', '/bin'] })).toContain('* * * * /usr/bin/node');
  });

  test('case C5: quotes what is special to sh, and has no bare % in it', () => {
    const [, line] = printSchedule('cron', ODD).split('\n');
    expect(line).toBe(
      String.raw`*/15 * * * * PATH='/opt/no$de '\%n:/usr/bin:/bin '/opt/no$de '\%n/node '/opt/a b/pawl.cjs' tick --dir ` +
        String.raw`'/home/ann/it'\''s "50'\%'" $HOME & <so> on\'`,
    );
  });

  test.each([
    [1, '* * * * *'],
    [5, '*/5 * * * *'],
    [20, '*/20 * * * *'],
    [60, '0 * * * *'],
  ])('every %i minutes is %s', (minutes, fields) => {
    expect(printSchedule('cron', every(minutes)).split('\n')[1]?.startsWith(`${fields} PATH`)).toBe(true);
  });

  test.each([
    [1.5, '2m'],
    [7, '10m'],
    [13, '15m'],
    [45, '60m'],
    [120, '60m'],
  ])('refuses %d minutes, which do not divide an hour, and names %s', (minutes, next) => {
    expect(() => printSchedule('cron', every(minutes))).toThrow(`say --every ${next};`);
  });

  test('refuses a line longer than cron takes', () => {
    const path = Array.from({ length: 40 }, (_, index) => `/home/ann/a/long/folder/number/${index}`);
    expect(() => printSchedule('cron', { ...PLAIN, path })).toThrow(/bytes long, and cron takes 998/);
  });

  test('case C5: sh gets every path as it is, whether cron takes the backslash before a % away or not', () => {
    const segment = fc.string({
      unit: fc.constantFrom(...`ab1 %%\\'"$\`&;|<>*?[]{}()#~!=-.éß`),
      minLength: 1,
      maxLength: 12,
    });
    const path = segment.map((text) => `/${text}`);
    void fc.assert(
      fc.property(path, path, (root, entry) => {
        const job = { root, entry, node: root + entry, path: ['/usr/bin', '/bin', root] };
        const raw = cronCommand(job);
        // The words are printed in the place of being run.
        for (const command of [raw, raw.replaceAll('\\%', '%')]) {
          const { stdout } = spawnSync('/bin/sh', ['-c', `/usr/bin/printf '%s\\0' ${command}`], {
            encoding: 'utf8',
            env: {},
          });
          expect(stdout.split('\0').slice(0, -1)).toEqual([
            `PATH=/usr/bin:/bin:${root}`,
            job.node,
            job.entry,
            'tick',
            '--dir',
            root,
          ]);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a crontab that is there', () => {
  const entry = (line: string, root = PLAIN.root) => entriesFor(`${line}\n`, root, '/home/ann');

  test('the printed line is found again, with its PATH and its programs', () => {
    for (const job of [PLAIN, ODD])
      expect(entriesFor(printSchedule('cron', job), job.root, '/home/ann')).toEqual([
        {
          command: cronCommand(job).replaceAll('\\%', '%'),
          path: job.path.join(':'),
          outerPath: null,
          named: [job.node, job.entry],
          isPlain: true,
        },
      ]);
  });

  test.each([
    'cd /home/ann/site && /usr/bin/node /opt/pawl.cjs tick',
    '/usr/bin/node /opt/pawl.cjs tick --wait --dir /home/ann/site/ >> /tmp/log 2>&1',
    `TZ=UTC /usr/bin/node /opt/pawl.cjs tick --dir "/home/ann/site" > /dev/null`,
  ])('a line written by hand may be tried: %s', (command) => {
    const [found] = entry(`*/15 * * * * ${command}`);
    expect(found).toMatchObject({ isPlain: true, named: ['/usr/bin/node', '/opt/pawl.cjs'], path: null });
    expect(found?.command).not.toMatch(/[>]/);
  });

  test.each([
    'cd /home/ann/site && git pull && /usr/bin/node /opt/pawl.cjs tick',
    'cd /home/ann/site; /usr/bin/node /opt/pawl.cjs tick',
    '/usr/bin/node /opt/pawl.cjs tick --dir /home/ann/site || mail ann',
    '/usr/bin/node /opt/pawl.cjs tick --dir /home/ann/site --dry-run',
    '/usr/bin/flock -n /tmp/x /usr/bin/node /opt/pawl.cjs tick --dir /home/ann/site',
    '/usr/bin/node "$(which pawl)" tick --dir /home/ann/site',
  ])('a line that does more is found, and never tried: %s', (command) => {
    expect(entry(`@hourly ${command}`)).toMatchObject([{ isPlain: false }]);
  });

  test.each([
    '# */15 * * * * /usr/bin/node /opt/pawl.cjs tick --dir /home/ann/site',
    '*/15 * * * * /usr/bin/node /opt/pawl.cjs tick --dir /home/ann/site2',
    '*/15 * * * * /usr/bin/node /opt/pawl.cjs log --dir /home/ann/site',
    'MAILTO=/home/ann/site tick',
    '',
  ])('is no line of this folder: %s', (line) => {
    expect(entry(line)).toEqual([]);
  });

  test('a PATH set above a line is the PATH of that line, and is put in where the line asks for it', () => {
    const tick = '/opt/node /opt/pawl.cjs tick --dir /home/ann/site';
    const table = `* * * * * ${tick}\nPATH = "/opt/x:/bin"\n* * * * * ${tick}\n* * * * * PATH="$HOME/bin":$PATH ${tick}\n`;
    const paths = entriesFor(table, PLAIN.root, '/home/ann').map(({ path, outerPath }) => [path, outerPath]);
    expect(paths).toEqual([
      [null, null],
      ['/opt/x:/bin', '/opt/x:/bin'],
      ['/home/ann/bin:/opt/x:/bin', '/opt/x:/bin'],
    ]);
  });
});

describe('systemd', () => {
  const units = (job: Job) => {
    const [, service = '', timer = ''] = printSchedule('systemd', job).split(
      /^# pawl-[-a-z0-9]+\.(?:service|timer)\n/m,
    );
    return { service, timer };
  };
  const analyze = findProgram('systemd-analyze', process.env.PATH ?? '');

  test('case C4: the timer goes by time gone by, and the service waits for its slice', () => {
    const { service, timer } = units(every(7));
    expect(timer).toMatch(/^OnUnitActiveSec=7min$/m);
    expect(timer).toMatch(/^OnBootSec=2min$/m);
    expect(timer).not.toMatch(/^(OnCalendar|Persistent)/m);
    expect(service).toMatch(
      /^ExecStart=\/usr\/bin\/node \/opt\/pawl\/dist\/pawl\.cjs tick --wait --dir \/home\/ann\/site$/m,
    );
    expect(service).toMatch(/^TimeoutStartSec=infinity$/m);
    expect(units(every(1.5)).timer).toMatch(/^OnUnitActiveSec=90s$/m);
  });

  test('escapes specifiers, quotes and variables, but for variables in the program, where there are none', () => {
    const { service } = units(ODD);
    expect(service).toContain(
      String.raw`ExecStart="/opt/no$de %%n/node" "/opt/a b/pawl.cjs" tick --wait --dir "/home/ann/it's \"50%%\" $$HOME & <so> on\\"`,
    );
    expect(service).toContain('Environment="PATH=/opt/no$de %%n:/usr/bin:/bin"');
  });

  test.skipIf(analyze === null)('both files pass systemd-analyze verify, odd paths too (needs systemd-analyze)', () => {
    for (const base of [PLAIN, ODD]) {
      const at = folder({ [`${base.node}`]: '#!/bin/sh\n' });
      const job = { ...base, node: join(at.root, base.node) };
      const { service, timer } = units(job);
      const files = folder({ 'pawl-x.service': service, 'pawl-x.timer': timer });
      const paths = ['pawl-x.service', 'pawl-x.timer'].map(files.path);
      const { status, stderr, error } = spawnSync(analyze ?? '', ['verify', '--man=no', ...paths], {
        encoding: 'utf8',
      });
      // It may tell about units of the machine's own.
      const told = stderr.split('\n').filter((line) => line.includes('pawl'));
      expect([error, status, told]).toEqual([undefined, 0, []]);
    }
  });
});

describe('launchd and windows', () => {
  const hasPython = findProgram('python3', process.env.PATH ?? '') !== null || process.env.PAWL_CI === '1';
  const python = (script: string, input: string) => {
    const { stdout, stderr } = spawnSync('python3', ['-c', script], { encoding: 'utf8', input });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const PLIST = 'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const XML = `import json,sys,xml.etree.ElementTree as t
print(json.dumps({e.tag.split('}')[1]: e.text for e in t.fromstring(sys.stdin.buffer.read()).iter()}))`;

  test.skipIf(!hasPython)('the property list holds every path as it is (needs python3)', () => {
    const told = python(PLIST, printSchedule('launchd', { ...ODD, everyMs: 7.5 * MINUTE }));
    expect(told).toEqual({
      Label: expect.stringMatching(/^pawl\.it-s-50-home-so-on-[0-9a-f]{6}$/),
      ProgramArguments: [ODD.node, ODD.entry, 'tick', '--dir', ODD.root],
      WorkingDirectory: ODD.root,
      EnvironmentVariables: { PATH: ODD.path.join(':') },
      StartInterval: 450,
      AbandonProcessGroup: true,
    });
  });

  test.skipIf(!hasPython)(
    'the task of Windows quotes its arguments as programs there read them (needs python3)',
    () => {
      const job = {
        ...PLAIN,
        node: 'C:\\Program Files\\nodejs\\node.exe',
        entry: 'C:\\pawl.cjs',
        root: 'C:\\R & D\\my "x"\\',
      };
      expect(python(XML, printSchedule('windows', job))).toMatchObject({
        Interval: 'PT15M',
        Command: job.node,
        Arguments: String.raw`C:\pawl.cjs tick --dir "C:\R & D\my \"x\"\\"`,
        WorkingDirectory: job.root,
        ExecutionTimeLimit: 'PT0S',
      });
      expect(() => printSchedule('windows', every(1.5))).toThrow('whole minutes');
    },
  );

  test('no -- comes up in a comment, where XML allows none', () => {
    for (const kind of ['launchd', 'windows'])
      for (const [, comment] of printSchedule(kind, { ...PLAIN, root: '/a--b/--c--' }).matchAll(/<!--(.*?)-->/gs))
        expect(comment).not.toContain('--');
  });
});

describe('any scheduler', () => {
  test.each(scheduleNames)('%s refuses a path that would begin a new line in its file', (kind) => {
    expect(() => printSchedule(kind, { ...PLAIN, root: '/a\n* * * * * rm' })).toThrow('control character');
  });

  test('an unknown one is refused with the list of those there are', () => {
    for (const kind of ['fcron', 'constructor'])
      expect(() => printSchedule(kind, PLAIN)).toThrow('cron, systemd, launchd, windows');
  });

  test('each platform has one that comes first', () => {
    expect(['linux', 'darwin', 'win32', 'freebsd'].map(scheduleOn)).toEqual(['cron', 'launchd', 'windows', 'cron']);
  });

  test('folders of the same name get jobs of their own', () => {
    const label = (root: string) => /pawl-\S+\.timer/.exec(printSchedule('systemd', { ...PLAIN, root }))?.[0];
    expect(label('/a/site')).toMatch(/^pawl-site-[0-9a-f]{6}\.timer$/);
    expect(label('/a/site')).not.toBe(label('/b/site'));
    expect(label('/')).toMatch(/^pawl-loop-/);
  });

  test('PATH is cleaned of what depends on the current folder, is not there, or comes twice', () => {
    const here = new Set(['/home/ann/bin', '/usr/bin', './rel']);
    const path = searchFolders('./rel::/home/ann/bin:/gone:/usr/bin:/home/ann/bin', '/opt/n/node', (each) =>
      here.has(each),
    );
    expect(path).toEqual(['/home/ann/bin', '/usr/bin', '/opt/n', '/bin']);
  });
});

test('a word for sh stays bare only when nothing in it is special', () => {
  expect(['/a/b-c.d', '', 'a b', "it's", '$x'].map(shellWord)).toEqual([
    '/a/b-c.d',
    "''",
    "'a b'",
    `'it'\\''s'`,
    "'$x'",
  ]);
});
