import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { splitItem } from '../../src/formats/front-matter.ts';
import { parseLoop } from '../../src/formats/loop.ts';
import { misplacedKeys, parseState, printState } from '../../src/formats/state.ts';
import { pausedLine, readStateFast } from '../../src/formats/state-fast.ts';
import { FULL, FULL_STATE, MINIMAL } from './states.ts';

const LOOP = `---
cohort: Every page
done_when: every page carries a date
source: { kind: folder, path: "docs/**/*.md", mark: { field: checked, value: done, todo: [a] } }
executor: { kind: command, run: [node, w.mjs], env: [] }
caps: { items_per_day: 40, usd_per_day: 5 }
timezone: Europe/London
---
## Boundary
Only docs/.
`;
const ITEM =
  '---\ntitle: A page\nchecked: 2026-06-09\ntags: [a, "b"]\nmore:\n  - x: 1\n    y: |\n      text\n---\n# Body\n---js\n1\n---\n';

const bits = fc.oneof(
  fc.constantFrom(
    '---',
    '\n',
    '\r\n',
    '\t',
    '  - ',
    ': ',
    ' #',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!!str ',
    '? ',
    '%',
    '\0',
    '\ufeff',
    '<<<<<<< ',
    '__proto__: ',
    'null',
    '-1',
    '1e3',
    '...',
    '\u2028',
  ),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

/** A good file with a few bytes changed, cut off or doubled; or bytes of no meaning. */
function broken(...files: string[]): fc.Arbitrary<Buffer> {
  const change = fc.tuple(fc.nat(), fc.nat(12), bits);
  const mutated = fc
    .tuple(fc.constantFrom(...files), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([file, changes]) => {
      let text = file;
      for (const [at, cut, put] of changes) {
        const from = at % (text.length + 1);
        text = text.slice(0, from) + put + text.slice(from + cut);
      }
      return Buffer.from(text);
    });
  const torn = fc
    .tuple(fc.constantFrom(...files), fc.nat())
    .map(([file, at]) => Buffer.from(file).subarray(0, at % file.length));
  const spliced = fc
    .tuple(fc.constantFrom(...files), fc.nat(), fc.nat())
    .map(([file, a, b]) => Buffer.from(file.slice(0, a % file.length) + file.slice(b % file.length)));
  const noise = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof(
    { weight: 6, arbitrary: mutated },
    torn,
    spliced,
    noise,
    fc.tuple(mutated, noise).map((parts) => Buffer.concat(parts)),
  );
}

function refusedOr<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    expect(error).toMatchObject({
      name: 'PawlError',
      code: 'E_FORMAT',
      at: expect.stringMatching(/^\w+\.md:[1-9]\d*:[1-9]\d*$/),
    });
    return null;
  }
}

test.prop([broken(FULL, MINIMAL)], { numRuns: 6000 })(
  'state.md: any bytes are read or refused with line and column',
  (bytes) => {
    const state = refusedOr(() => parseState(bytes, 'state.md'));
    const text = bytes.toString();
    readStateFast(text);
    if (pausedLine(text) && state !== null) expect(state.paused).toBe(true);
    if (state === null) return;
    misplacedKeys(bytes, 'state.md');
    // Whatever is accepted can be written over; every third is enough, printing takes ten times as long as reading.
    if (bytes.length % 3 !== 0) return;
    const next = { ...FULL_STATE, tick: state.tick + 1, queuedLearnings: state.queuedLearnings.slice(1) };
    expect(parseState(printState(bytes, next, 'state.md'), 'state.md')).toEqual(next);
  },
);

test.prop([broken(LOOP)], { numRuns: 7000 })('loop.md: any bytes are read or refused with line and column', (bytes) => {
  refusedOr(() => parseLoop(bytes, 'loop.md', { sources: ['folder'], executors: ['command'] }));
});

test.prop([broken(ITEM)], { numRuns: 7000 })('items: any bytes are read or refused with line and column', (bytes) => {
  const item = refusedOr(() => splitItem(bytes, 'item.md'));
  if (item !== null) expect(() => JSON.stringify(item)).not.toThrow();
});
