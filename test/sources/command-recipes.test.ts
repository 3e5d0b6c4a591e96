import { spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Procedure, SourceSpec } from '../../src/core/model.ts';
import openCommand from '../../src/sources/command.ts';
import type { Filing, Source } from '../../src/sources/source.ts';
import { realDisk } from '../../src/store/disk.ts';
import { findProgram } from '../../src/store/program.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { DATE_MARK, idsOf, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const shipped = (name: string) => resolve('docs/sources', name);

function open(root: string, run: string[], env: string[] = []): Source {
  const source: SourceSpec = {
    ...{ kind: 'command', path: '', mark: DATE_MARK, write: ['company', 'size'], id: null, to: null, run, env },
  };
  const procedure = { source } as unknown as Procedure;
  return openCommand({ disk: realDisk, workspace: new Workspace(root), procedure, keep: () => {} });
}

const wish = (item: string, fields: Filing['fields'], seen: Filing['fields'] = {}): Filing => ({
  ...{ item, run: 42, base: { files: {}, fields: seen }, ownBytes: null, fields, day: '2026-06-09' },
});
const filed = (item: string, as: string, kept: string[] = []) => ({ item, run: 42, as, kept });

// Node and git are all that the tests may need; where everything is meant to be installed, a skip would hide a fault.
const hasSqlite = findProgram('sqlite3', process.env.PATH ?? '') !== null || process.env.PAWL_CI === '1';

describe.skipIf(!hasSqlite)('the sqlite source (needs sqlite3)', () => {
  const ROWS = 120;
  const ODD = `'); DROP TABLE leads; --\n.quit\n"ü"`;

  function database() {
    const { root, path } = folder();
    const sql = (text: string) => {
      const { stdout, stderr } = spawnSync('sqlite3', [path('leads.db')], { input: text, encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim();
    };
    sql(`CREATE TABLE leads (id INTEGER PRIMARY KEY, name TEXT, note TEXT, company TEXT, size INTEGER, checked TEXT, run TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
      INSERT INTO leads (id, name, note) SELECT i, 'Lead ' || i, 'note ' || i FROM n;
      UPDATE leads SET checked = '2026-06-01', company = 'Umbrella' WHERE id = 4; UPDATE leads SET checked = '' WHERE id = 5;`);
    return { root, sql, source: open(root, ['node', shipped('sqlite.mjs'), 'leads.db']) };
  }

  test('lists what is open, by pages, in the order of the ids, and goes round', async () => {
    const { source } = database();
    const all = Array.from({ length: ROWS }, (_, at) => String(at + 1)).filter((id) => id !== '4');
    expect(idsOf(await pending(source))).toEqual(all);
    expect(idsOf(await pending(source, '100'))).toEqual([...all.slice(99), ...all.slice(0, 99)]);
    expect(idsOf(await pending(source, 'none', 3))).toEqual(['1', '2', '3']);
    expect(await source.count()).toEqual({ done: 1, total: ROWS });
    expect(await source.read('2')).toMatchObject({
      title: 'Lead 2',
      body: 'note 2',
      fields: { company: null, size: null },
    });
    expect(await source.read('4')).toMatchObject({ mark: '2026-06-01', fields: { company: 'Umbrella' } });
    expect(await source.read(ODD.replaceAll('\n', ' '))).toBeNull();
  });

  test('fills and marks a row in one step, once, and leaves a person their values', async () => {
    const { source, sql } = database();
    sql("UPDATE leads SET size = 7 WHERE id = 2; UPDATE leads SET company = 'Initech' WHERE id = 3");
    const batch = [
      wish('1', { company: ODD, size: 12 }),
      wish('2', { size: 8 }, { size: 7 }),
      wish('3', { company: 'Acme', size: 9 }),
      wish('4', { company: 'Acme' }),
      wish('999', {}),
    ];
    const expected = [
      filed('1', 'marked'),
      filed('2', 'marked'),
      filed('3', 'marked', ['company']),
      filed('4', 'theirs'),
      filed('999', 'gone'),
    ];
    const before = sql('SELECT * FROM leads');
    expect(await source.look(batch)).toEqual(expected);
    expect(sql('SELECT * FROM leads')).toBe(before);
    expect(await source.file(batch)).toEqual(expected);
    expect(await source.file(batch)).toEqual(
      expected.map((each) => (each.as === 'marked' ? { ...each, as: 'already' } : each)),
    );
    expect((await source.read('1'))?.fields).toEqual({ company: ODD, size: 12 });
    expect(sql('SELECT id, company, size, checked, run FROM leads WHERE id BETWEEN 2 AND 5')).toBe(
      '2||8|2026-06-09|0042\n3|Initech|9|2026-06-09|0042\n4|Umbrella||2026-06-01|\n5||||',
    );
    expect(sql(`SELECT count(*) FROM leads`)).toBe(String(ROWS));
  });

  test('a row that somebody marks in the last moment stays theirs', async () => {
    const { root, sql, source } = database();
    const real = findProgram('sqlite3', process.env.PATH ?? '');
    const wrapper = `#!/bin/sh
      text=$(cat)
      case "$text" in
        UPDATE*) '${real}' '${root}/leads.db' "UPDATE leads SET checked = '2026-06-08', company = 'Initech' WHERE id = 1" ;;
      esac
      printf '%s\\n' "$text" | '${real}' "$@"`;
    const { path } = folder({ 'bin/sqlite3': wrapper });
    vi.stubEnv('PATH', `${path('bin')}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await source.file([wish('1', { size: 3 })])).toEqual([filed('1', 'theirs')]);
    expect(sql('SELECT company, size, checked FROM leads WHERE id = 1')).toBe('Initech||2026-06-08');
  });

  test('says what is wrong in one line', async () => {
    const { root, source } = database();
    await expect(source.file([wish('1', { 'size = 1 --': 1 })])).rejects.toThrow(
      'there is no column size = 1 -- to write',
    );
    const other = open(root, ['node', shipped('sqlite.mjs'), 'other.db']);
    await expect(other.count()).rejects.toThrow(/source\.run, asked to count: exit 1: .*no such table: leads/);
  });
});

describe('the web API source', () => {
  interface Ticket {
    id: string;
    title: string;
    text: string;
    checked: string | null;
    checked_by: string | null;
    company: string | null;
  }

  /** A tracker on loopback: each ticket with an ETag; `meanwhile` is called before a change is looked at. */
  async function tracker(meanwhile: (tickets: Ticket[]) => void = () => {}) {
    const tickets = ['T-3', 'T?1/2', 'T-ü'].map(
      (id): Ticket => ({
        ...{ id, title: `About ${id}`, text: 'text', checked: null, checked_by: null, company: null },
      }),
    );
    const calls: string[] = [];
    const etag = (ticket: Ticket) => JSON.stringify(Buffer.from(JSON.stringify(ticket)).toString('base64'));

    function answer(request: IncomingMessage, response: ServerResponse, body: string) {
      const url = new URL(request.url ?? '', 'http://tracker');
      const reply = (status: number, value: unknown = {}, headers = {}) =>
        response.writeHead(status, headers).end(JSON.stringify(value));
      calls.push(`${request.method} ${url.pathname}`);
      if (request.headers.authorization !== 'Bearer hunter2-hunter2') return reply(401);
      if (url.pathname === '/tickets/count')
        return reply(200, { done: tickets.filter(({ checked }) => checked).length, total: tickets.length });
      if (url.pathname === '/tickets') {
        const from = tickets.findIndex(({ id }) => id === url.searchParams.get('after')) + 1;
        return reply(
          200,
          tickets
            .slice(from)
            .filter(({ checked }) => checked === null)
            .slice(0, 2),
        );
      }
      const ticket = tickets.find(({ id }) => id === decodeURIComponent(url.pathname.slice('/tickets/'.length)));
      if (request.method === 'PATCH') meanwhile(tickets);
      if (ticket === undefined) return reply(404);
      if (request.method === 'PATCH') {
        if (request.headers['if-match'] !== etag(ticket)) return reply(412);
        Object.assign(ticket, JSON.parse(body));
      }
      return reply(200, ticket, { etag: etag(ticket) });
    }

    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk)).on('end', () => answer(request, response, body));
    });
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    vi.stubEnv('TRACKER_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    vi.stubEnv('TRACKER_TOKEN', 'hunter2-hunter2');
    onTestFinished(() => void vi.unstubAllEnvs());
    const run = ['node', shipped('web-api.mjs')];
    return { tickets, calls, source: open(folder().root, run, ['TRACKER_URL', 'TRACKER_TOKEN']) };
  }

  test('lists in the order of the tracker, reads, counts', async () => {
    const { source } = await tracker();
    expect(idsOf(await pending(source))).toEqual(['T-3', 'T?1/2', 'T-ü']);
    expect(idsOf(await pending(source, 'T-3'))).toEqual(['T?1/2', 'T-ü', 'T-3']);
    expect(await source.read('T?1/2')).toMatchObject({ title: 'About T?1/2', body: 'text', fields: { company: null } });
    expect(await source.read('T-9')).toBeNull();
    expect(await source.count()).toEqual({ done: 0, total: 3 });
  });

  test('marks once, and leaves a person their values', async () => {
    const { source, tickets, calls } = await tracker();
    Object.assign(tickets[1] as Ticket, { company: 'Initech' });
    const batch = [wish('T-3', { company: 'Acme' }), wish('T?1/2', { company: 'Acme' }), wish('T-9', {})];
    const expected = [filed('T-3', 'marked'), filed('T?1/2', 'marked', ['company']), filed('T-9', 'gone')];
    expect(await source.look(batch)).toEqual(expected);
    expect(calls.filter((call) => call.startsWith('PATCH'))).toEqual([]);
    expect(await source.file(batch)).toEqual(expected);
    expect(await source.file(batch)).toMatchObject([{ as: 'already' }, { as: 'already' }, { as: 'gone' }]);
    expect(calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(2);
    expect(tickets[0]).toMatchObject({ company: 'Acme', checked: '2026-06-09', checked_by: '0042' });
    expect(tickets[1]).toMatchObject({ company: 'Initech', checked: '2026-06-09' });
    expect(idsOf(await pending(source))).toEqual(['T-ü']);
  });

  test('a ticket that changes under its hands is looked at again, and given up after three times', async () => {
    let edits = 0;
    const first = (tickets: Ticket[]) => {
      edits += 1;
      if (edits === 1) Object.assign(tickets[0] as Ticket, { checked: '2026-06-08', company: 'Initech' });
    };
    const { source, tickets } = await tracker(first);
    expect(await source.file([wish('T-3', { company: 'Acme' })])).toEqual([filed('T-3', 'theirs')]);
    expect(tickets[0]).toMatchObject({ company: 'Initech', checked: '2026-06-08', checked_by: null });

    const always = await tracker((tickets) => {
      edits += 1;
      Object.assign(tickets[0] as Ticket, { text: String(edits) });
    });
    await expect(always.source.file([wish('T-3', {})])).rejects.toThrow('exit 1: ticket T-3 keeps changing');
    expect(always.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(3);
  });

  test('a wrong token and a tracker that is not there are told, without the token', async () => {
    const { source } = await tracker();
    vi.stubEnv('TRACKER_TOKEN', 'wrong-token');
    await expect(source.count()).rejects.toThrow('asked to count: exit 1: GET /tickets/count: 401 Unauthorized');
    vi.stubEnv('TRACKER_URL', 'http://127.0.0.1:1');
    await expect(source.count()).rejects.toThrow(/asked to count: exit 1: fetch failed /);
  });
});

test('the scripts are as short as their pages say', () => {
  const lines = (name: string) => realDisk.read(shipped(name))?.toString().trimEnd().split('\n').length ?? 0;
  for (const name of ['hello.mjs', 'sqlite.mjs', 'web-api.mjs']) expect(lines(name)).toBeLessThanOrEqual(80);
});
