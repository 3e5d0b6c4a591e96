import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LONGEST } from '../../src/core/rule.ts';
import { readLoop } from '../../src/engine/observe.ts';
import { parseReflection } from '../../src/formats/reflection.ts';
import { parseRules } from '../../src/formats/rules.ts';
import { realDisk } from '../../src/store/disk.ts';
import { hostile } from '../support/hostile.ts';
import { at, type Loop, loop } from '../support/loop.ts';

const START = '<!-- pawl:rules:start -->';
const END = '<!-- pawl:rules:end -->';
const FIRST = '2026-06-01T00:00:00Z';
const OTHER = '---\npaused: false\n---\nAnother role.\n';

const CONTRACT = `\ufeff# How to work\r\n\r\nKeep this.\r\n${START}\r\n${END}\r\n\r\n## After\r\n\r\nAnd this, to the byte.`;
const BODY = `## Boundary\nOnly items.\n\n## Procedure\n\n${START}\n${END}\n\nMore of a person.\n`;

/** One loop whose four workers are told to learn `texts`, and who obey whatever they read. */
function obedient(texts: object[]): Loop {
  const of = loop({
    ...{ items: 4, fresh: true, settings: { slice: '4', concurrency: '1' } },
    worker: 'cat "$PAWL_ROOT/says-$name"\nresult done',
  });
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    const own = texts.filter((_, n) => n % 4 === index);
    of.write(`says-${name}`, own.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
  realDisk.makeFolder(of.path('other/.jez'));
  for (const name of ['state.md', 'loop.md', 'contract.md', 'rules.yaml']) of.write(`other/.jez/${name}`, OTHER);
  of.write('.jez/contract.md', CONTRACT);
  of.edit('.jez/loop.md', /## Boundary[\s\S]*/, BODY);
  return of;
}

const around = (text: string) => {
  const [before, rest = '', ...more] = text.split(START);
  const [inner = '', after, ...ends] = rest.split(END);
  return { before, inner: inner.split(/\r?\n/).slice(1, -1), after, once: more.length + ends.length === 0 };
};

/** What no learning may change: all files but the ones a tick writes itself. */
const untouched = (of: Loop) =>
  Object.fromEntries(
    Object.entries(of.snapshot()).filter(
      ([name]) => !name.startsWith('.jez/') && !name.startsWith('items/') && name !== 'calls',
    ),
  );

const FORMS = [
  /^$/,
  /^# \d{4}-\d\d-\d\d/,
  /^<!-- \/?tick:\d+ -->$/,
  /^## \d\d:\d\d tick \d+, version \d+: [^\n]+$/,
  /^- (?:done|claimed|learned|queued|held|applied|refused|vetoed|checked|limits|nothing|\d+ to do|stop|stopped)\b/,
];

/** @returns what is not as it should be. */
function faults(of: Loop): string[] {
  const bad: string[] = [];
  const rules = parseRules(of.read('.jez/rules.yaml'), 'rules.yaml');
  const ledger = of
    .read('.jez/rules.yaml')
    .split('\n')
    .filter((line) => !/^(?:#.*)?$/.test(line));
  if (ledger.length !== rules.length || !ledger.every((line) => /^L\d+: \{ .* \}$/.test(line)))
    bad.push('rules.yaml is not a line a learning');
  const ids: string[] = [];
  for (const [file, start] of [
    ['contract.md', CONTRACT],
    ['loop.md', BODY],
  ] as const) {
    const [now, then] = [around(of.read(`.jez/${file}`)), around(start)];
    if (!now.once || now.after !== then.after || !now.before?.endsWith(then.before ?? '?'))
      bad.push(`${file} changed outside`);
    for (const line of now.inner) {
      const [, id = '', text = ''] = /^- \[(R-\d{3,})\] (\S.*)$/.exec(line) ?? [];
      ids.push(id);
      const known = rules.find((rule) => rule.id === `L${Number(id.slice(2))}`);
      if (known?.state !== 'applied' || known.rule !== text) bad.push(`no rule of the ledger: ${JSON.stringify(line)}`);
      if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|<!--|-->|```|~~~/u.test(line))
        bad.push(`it hides something: ${JSON.stringify(line)}`);
      if ([...text].length > LONGEST || /^[-#>*|+=\s]/.test(text))
        bad.push(`it is no plain line: ${JSON.stringify(line)}`);
    }
  }
  if (new Set(ids).size !== ids.length) bad.push('a rule is there twice');
  if (rules.filter(({ state }) => state === 'applied').length !== ids.length) bad.push('an applied rule is not there');
  const state = of.read('.jez/state.md').split('\n');
  const now = of.state();
  if (now.paused || !of.read('.jez/state.md').endsWith('\n---\nNotes of a person.\n')) bad.push('state.md changed');
  if (state.filter((line) => line.startsWith('  - { id: L')).length !== now.queuedLearnings.length)
    bad.push('a queue of other lines');
  const page = of.read('.jez/reflections/2026-06-09.md');
  const odd = page.split('\n').filter((line) => !FORMS.some((form) => form.test(line)));
  if (odd.length > 0) bad.push(`lines of the reflection: ${odd.map((line) => JSON.stringify(line)).join()}`);
  if (page.split('<!-- tick:').length - 1 !== parseReflection(page).length) bad.push('a block is torn');
  return bad;
}

/** A56 and what else only a person may let in. */
const SPEAKS_OF_LIMITS =
  /\b(?:cap|every minute|items_per_day|pause_after|slice|http|ignore the rules)\b|\$\(|\.jez\b|\s\/etc/;

const shippedTexts = () => {
  const root = join(import.meta.dirname, '../../contracts');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return files.map((name) => readFileSync(join(root, name), 'utf8'));
};

describe('P5: workers return hostile learnings', () => {
  const before = shippedTexts();
  let count = 0;

  test.each(Array.from({ length: 10 }, (_, index) => index))('twenty of them, part %i', async (part) => {
    const of = obedient(Array.from({ length: 20 }, (_, n) => hostile(part * 20 + n)));
    const [files, settings, head] = [
      untouched(of),
      readLoop(realDisk, of.workspace).procedure,
      of.read('.jez/loop.md').split('## Boundary')[0],
    ];
    const owned = () => [of.read('.jez/contract.md'), of.read('.jez/loop.md')];
    const first = owned();
    await of.live(FIRST);
    await of.live(at('08:00'));
    // A35, A52: nothing noticed in a tick changes anything in it.
    expect(owned()).toEqual(first);
    expect(Object.keys(of.marks())).toHaveLength(4);
    expect(faults(of)).toEqual([]);
    expect(of.state().queuedLearnings.filter(({ rule }) => SPEAKS_OF_LIMITS.test(rule))).toEqual([]);
    // Held ones are let in by a person who reads nothing.
    of.write('.jez/review.md', of.review().replace(/^- \[ \](?=.*<!-- pawl:approve L\d+ -->$)/gm, '- [x]'));
    for (const time of ['09:00', '10:00']) {
      await of.live(at(time));
      expect(faults(of)).toEqual([]);
    }
    expect(of.state().queuedLearnings).toEqual([]);
    count += parseRules(of.read('.jez/rules.yaml'), 'rules.yaml').filter(({ state }) => state === 'applied').length;
    // A54, A55, A56: settings, text and other files are as they were, and so is the other role.
    expect(untouched(of)).toEqual(files);
    expect(readLoop(realDisk, of.workspace).procedure).toEqual(settings);
    expect(of.read('.jez/loop.md').startsWith(`${head}## Boundary`)).toBe(true);
  });

  test('many of them are harmless enough to be applied, and C10: no shipped text has changed', () => {
    expect(count).toBeGreaterThan(80);
    expect(shippedTexts()).toEqual(before);
  });
});

test('A52, A54: a worker that writes to loop.md and contract.md in its run folder changes neither', async () => {
  const of = loop({
    items: 1,
    fresh: true,
    worker: 'mkdir .jez; echo x > .jez/loop.md; echo x > .jez/contract.md; result done',
  });
  of.write('.jez/contract.md', CONTRACT);
  const before = [of.read('.jez/loop.md'), of.read('.jez/contract.md')];
  for (const time of [FIRST, at('08:00'), at('09:00')]) await of.live(time);
  expect([of.read('.jez/loop.md'), of.read('.jez/contract.md')]).toEqual(before);
  expect(of.lines().join('\n')).toContain('.jez belongs to the loop');
});
