// `npm run bench`: how fast, as ratios to the machine's own floors in the same run. BENCH_FULL=1 adds a million items.
import { noOp } from './no-op.mjs';
import { planning } from './planning.mjs';
import { dependencies, mark, save, work } from './work.mjs';

const full = process.env.BENCH_FULL === '1';
const rows = [];
const line = (...cells) =>
  console.log(
    cells
      .map((cell, index) => String(cell).padEnd([52, 12, 58, 8, 8, 4][index]))
      .join(' ')
      .trimEnd(),
  );

/** One figure against its goal: at most `goal`. */
function row(what, measured, floor, figure, goal) {
  rows.push({ what, measured, floor, figure, goal, ok: figure <= goal });
  line(
    what,
    measured,
    floor,
    Number.isInteger(figure) ? figure : figure.toFixed(2),
    `<= ${goal}`,
    figure <= goal ? 'ok' : 'OVER',
  );
}
row.skip = (what, why) => {
  rows.push({ what, skipped: why });
  line(what, '', `not measured: ${why}`, '', '', '');
};

line('what', 'measured', 'floor', 'figure', 'goal', '');
const only = process.argv[2];
const parts = { noOp, planning, mark, work, dependencies };
for (const [name, part] of Object.entries(parts))
  if (only === undefined || only === name || only.startsWith('--')) await part(row, full);
const json = process.argv.indexOf('--json');
if (json !== -1) save(process.argv[json + 1], rows);
console.log(
  `\n${rows.filter(({ ok }) => ok).length} within their goal, ${rows.filter(({ ok }) => ok === false).length} over it`,
);
