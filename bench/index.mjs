// `npm run bench`: how fast, as ratios to the machine's own floors in the same run.
//
//   node bench/index.mjs [noOp|planning|mark|work|dependencies] [--json]
//
// BENCH_FULL=1 adds a million items and works a hundred thousand off: half an hour and 1,100,000 files below the temporary folder.
// It exits with 0 whatever it finds, since a busy machine is no bug; each row says whether it is within its goal.
import { noOp } from './no-op.mjs';
import { planning } from './planning.mjs';
import { dependencies, mark } from './small.mjs';
import { work } from './work.mjs';

const full = process.env.BENCH_FULL === '1';
const json = process.argv.includes('--json');
const only = process.argv.slice(2).find((word) => !word.startsWith('--'));
const rows = [];

const WIDTHS = [54, 9, 58, 6, 8, 4];
function line(...cells) {
  if (!json)
    console.log(
      cells
        .map((cell, index) => String(cell).padEnd(WIDTHS[index]))
        .join(' ')
        .trimEnd(),
    );
}

/** One figure against its goal: at most `goal`. */
function row(what, measured, floor, figure, goal) {
  const ok = figure <= goal;
  rows.push({ what, measured, floor, figure, goal, ok });
  line(what, measured, floor, Number.isInteger(figure) ? figure : figure.toFixed(2), `<= ${goal}`, ok ? 'ok' : 'OVER');
}
row.skip = (what, why) => {
  rows.push({ what, skipped: why });
  line(what, '', `not measured: ${why}`, '', '', '');
};

line('what', 'measured', 'floor', 'ratio', 'goal', '');
for (const [name, part] of Object.entries({ noOp, planning, mark, work, dependencies }))
  if (only === undefined || only === name) await part(row, full);
const count = (wanted) => rows.filter(({ ok }) => ok === wanted).length;
if (json) console.log(JSON.stringify(rows, null, 1));
else console.log(`\n${count(true)} within their goal, ${count(false)} over it`);
