// A pawl source in Node: tickets in one JSON file. Run as: node hello.mjs tickets.json
import { fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [, , file] = process.argv;
const { op, after, want, ids, items } = JSON.parse(readFileSync(0, 'utf8'));
const tickets = JSON.parse(readFileSync(file, 'utf8'));
const say = (line) => console.log(JSON.stringify(line));
const same = (left, right) => JSON.stringify(left ?? null) === JSON.stringify(right ?? null);

/** `checked` holds the day and the run that set it: "2026-06-09 0042". */
const markOf = ({ checked }) => checked?.split(' ')[0] ?? null;
const itemOf = ({ id, title, body, checked, ...fields }) => ({ id, title, body, fields, mark: markOf({ checked }) });

function rule({ id, run, base, fields, mark }) {
  const ticket = tickets.find((each) => each.id === id);
  if (ticket === undefined) return { as: 'gone', kept: [] };
  const changed = (name) => !same(ticket[name], fields[name]) && !same(ticket[name], base[name]);
  const kept = Object.keys(fields).filter(changed);
  if (ticket.checked) return ticket.checked.endsWith(` ${run}`) ? { as: 'already', kept } : { as: 'theirs', kept: [] };
  if (op === 'look') return { as: 'marked', kept };
  for (const name of Object.keys(fields)) if (!kept.includes(name)) ticket[name] = fields[name];
  ticket.checked = `${mark} ${run}`;
  return { as: 'marked', kept };
}

function save() {
  writeFileSync(`${file}.new`, `${JSON.stringify(tickets, null, 1)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
  fsyncSync(openSync(dirname(file), 'r'));
}

if (op === 'list') {
  const rest = tickets.slice(tickets.findIndex(({ id }) => id === after) + 1).filter((ticket) => !ticket.checked);
  for (const { id, title } of rest.slice(0, want)) say({ type: 'item', id, title });
  say({ type: 'end', complete: rest.length <= want });
}
if (op === 'read')
  for (const id of ids) {
    const ticket = tickets.find((each) => each.id === id);
    say(ticket === undefined ? { type: 'gone', id } : { type: 'item', ...itemOf(ticket) });
  }
if (op === 'look' || op === 'file') {
  const filed = items.map((item) => ({ type: 'filed', id: item.id, ...rule(item) }));
  if (op === 'file' && filed.some(({ as }) => as === 'marked')) save();
  // Only now, when it is on disk.
  filed.forEach(say);
}
if (op === 'count') say({ type: 'count', done: tickets.filter(markOf).length, total: tickets.length });
