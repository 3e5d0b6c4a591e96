// A pawl source: tickets of a web service. Reads TRACKER_URL and TRACKER_TOKEN, which `env` in loop.md has to name.
import { readFileSync } from 'node:fs';

const WAIT_MS = 20_000;
const TRIES = 3;

const { TRACKER_URL, TRACKER_TOKEN } = process.env;
const { op, after, want, ids, items } = JSON.parse(readFileSync(0, 'utf8'));
const say = (line) => console.log(JSON.stringify(line));
const same = (left, right) => JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
const pathOf = (id) => `/tickets/${encodeURIComponent(id)}`;

/** @returns the answer, or null for 404 and 412: gone, and changed meanwhile. */
async function call(path, method = 'GET', headers = {}, body = undefined) {
  const response = await fetch(TRACKER_URL + path, {
    ...{ method, body, redirect: 'error', signal: AbortSignal.timeout(WAIT_MS) },
    headers: { authorization: `Bearer ${TRACKER_TOKEN}`, 'content-type': 'application/json', ...headers },
  });
  if (response.status === 404 || response.status === 412) return null;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${response.statusText}`);
  return { etag: response.headers.get('etag'), value: await response.json() };
}

async function rule({ id, run, base, fields, mark }) {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const found = await call(pathOf(id));
    if (found === null) return { as: 'gone', kept: [] };
    const { etag, value: ticket } = found;
    const isTheirs = (name) => !same(ticket[name], fields[name]) && !same(ticket[name], base[name]);
    const kept = Object.keys(fields).filter(isTheirs);
    // The run stands beside the mark: so a call that was answered into the void is found to be our own.
    if (ticket.checked) return ticket.checked_by === run ? { as: 'already', kept } : { as: 'theirs', kept: [] };
    if (op === 'look') return { as: 'marked', kept };
    const filled = Object.entries(fields).filter(([name]) => !kept.includes(name));
    const change = JSON.stringify({ ...Object.fromEntries(filled), checked: mark, checked_by: run });
    // Only while the ticket is as it was read: a person may write to it at any moment.
    if (await call(pathOf(id), 'PATCH', { 'if-match': etag }, change)) return { as: 'marked', kept };
  }
  throw new Error(`ticket ${id} keeps changing`);
}

async function list() {
  const query = new URLSearchParams({ state: 'open', after: after ?? '', limit: String(want) });
  const tickets = (await call(`/tickets?${query}`))?.value ?? [];
  for (const { id, title, checked } of tickets) say({ type: 'item', id, title, mark: checked });
  say({ type: 'end', complete: tickets.length === 0 });
}

async function read(id) {
  const found = await call(pathOf(id));
  if (found === null) return say({ type: 'gone', id });
  const { title, text, checked, checked_by: _, ...fields } = found.value;
  say({ type: 'item', id, title, body: text, fields, mark: checked });
}

try {
  if (op === 'list') await list();
  for (const id of op === 'read' ? ids : []) await read(id);
  for (const item of op === 'look' || op === 'file' ? items : [])
    say({ type: 'filed', id: item.id, ...(await rule(item)) });
  if (op === 'count') say({ type: 'count', ...(await call('/tickets/count')).value });
} catch (error) {
  console.error(`${error.message} ${error.cause?.message ?? ''}`);
  process.exitCode = 1;
}
