// A pawl source: rows of an SQLite table, by the sqlite3 command-line program (3.35 or later). Run as: node sqlite.mjs leads.db
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Columns that `write` in loop.md may name. No other name ever becomes part of a statement. */
const FIELDS = ['company', 'size'];
const TRIES = 3;

const [, , file] = process.argv;
const { op, after, want, ids, items } = JSON.parse(readFileSync(0, 'utf8'));
const say = (line) => console.log(JSON.stringify(line));

/** Runs one statement. @returns its rows. */
function sql(statement) {
  const args = ['-batch', '-bail', '-json', '-init', '/dev/null', '-cmd', '.timeout 10000'];
  const { status, stdout, stderr, error } = spawnSync('sqlite3', [...args, file], {
    ...{ input: `${statement};\n`, encoding: 'utf8', maxBuffer: 2 ** 26 },
  });
  if (error !== undefined || status !== 0) fail(error?.message ?? stderr.trim().split('\n')[0]);
  return stdout.trim() === '' ? [] : JSON.parse(stdout);
}

function fail(why) {
  console.error(why);
  process.exit(1);
}

/** A value as a literal. Text goes in as hexadecimal digits: nothing in it can be taken for SQL. */
function literal(value) {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `CAST(X'${Buffer.from(text).toString('hex')}' AS TEXT)`;
}

const COLUMNS = ['CAST(id AS TEXT) AS id', 'name', 'note', 'checked', 'run', ...FIELDS].join(', ');
const rowOf = (id) => sql(`SELECT ${COLUMNS} FROM leads WHERE CAST(id AS TEXT) = ${literal(id)}`)[0];
const fieldsOf = (row) => Object.fromEntries(FIELDS.map((name) => [name, row[name]]));

function rule({ id, run, base, fields, mark }) {
  const stray = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (stray !== undefined) fail(`there is no column ${stray} to write`);
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const row = rowOf(id);
    if (row === undefined) return { as: 'gone', kept: [] };
    const isTheirs = (name) => row[name] !== fields[name] && row[name] !== (base[name] ?? null);
    const kept = Object.keys(fields).filter(isTheirs);
    if (row.checked) return row.run === run ? { as: 'already', kept } : { as: 'theirs', kept: [] };
    if (op === 'look') return { as: 'marked', kept };
    const filled = Object.keys(fields).filter((name) => !kept.includes(name));
    const set = [`checked = ${literal(mark)}`, `run = ${literal(run)}`];
    for (const name of filled) set.push(`${name} = ${literal(fields[name])}`);
    // Only while the row is as it was read: somebody else may write to it at any moment.
    const still = ["coalesce(checked, '') = ''", ...filled.map((name) => `${name} IS ${literal(row[name])}`)];
    const where = `CAST(id AS TEXT) = ${literal(id)} AND ${still.join(' AND ')}`;
    if (sql(`UPDATE leads SET ${set.join(', ')} WHERE ${where} RETURNING 1`).length > 0) return { as: 'marked', kept };
  }
  return fail(`row ${id} keeps changing`);
}

if (op === 'list') {
  const open = `coalesce(checked, '') = '' AND id > CAST(${literal(after ?? '')} AS INTEGER)`;
  const rows = sql(`SELECT ${COLUMNS} FROM leads WHERE ${open} ORDER BY leads.id LIMIT ${want + 1}`);
  for (const { id, name } of rows.slice(0, want)) say({ type: 'item', id, title: name });
  say({ type: 'end', complete: rows.length <= want });
}
for (const id of op === 'read' ? ids : []) {
  const row = rowOf(id);
  if (row === undefined) say({ type: 'gone', id });
  else say({ type: 'item', id, title: row.name, body: row.note, fields: fieldsOf(row), mark: row.checked });
}
for (const item of op === 'look' || op === 'file' ? items : []) say({ type: 'filed', id: item.id, ...rule(item) });
if (op === 'count')
  say({ type: 'count', ...sql("SELECT count(nullif(checked, '')) AS done, count(*) AS total FROM leads")[0] });
