// Names that move cursors, colour, end a bracketed paste, turn directions, hide or are half a character, on a real server and in
// everything that says them: the verdict in its four forms, tables of the command line, mails, channels, the API and the log.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_ALERT } from './alerting/channels/alert-facts.ts';
import { channels } from './alerting/channels/catalog.gen.ts';
import { printTable } from './cli/command.ts';
import { inertBlock, inertJson, inertLine, inertOutput, spacedLine } from './kernel/inert-text.ts';
import { createLog } from './kernel/log.ts';
import { markdownSql, markdownText } from './kernel/markdown.ts';
import { sql } from './kernel/sql.ts';
import { makeConnection } from './testing/access/actors.ts';
import { startTestApi, type TestApi } from './testing/api.ts';
import { checkup, criticalServer, SHORT } from './testing/checkup-process.ts';
import { connectionsRoom } from './testing/rooms/connections.ts';
import type { TestCluster } from './testing/servers/postgres.ts';

/** Every kind of it, and no longer than a name of PostgreSQL may be. */
const HOSTILE = '\u001b[201~\u001b]0;x\u0007\u009b31m\u202eevil\u2066\u200b\ufeff\u{e0041}\r\u0085';
/** Of an index whose fix is shown with a comment that names it. */
const ENDS_COMMENT = 'x\nalter role mallory superuser; --';
/** What a terminal, a paste or an eye would fall for. */
const DANGEROUS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/u;
const remedyOf = ({ remedy }: { remedy: string }) => remedy;
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const dangers = (text: string) =>
  [...text.matchAll(new RegExp(DANGEROUS.source, 'gu'))].map(
    ([one, index]) => `${one.codePointAt(0)?.toString(16)} at ${index}`,
  );

describe('a verdict on a server with hostile names', () => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await criticalServer();
    await server.query(`create database ${quoted(HOSTILE)}`);
    await server.query(`create role ${quoted(HOSTILE)} login superuser password 'rather-secret'`);
    await server.query(`create schema ${quoted(HOSTILE)}`);
    await server.query(`create table ${quoted(HOSTILE)}.${quoted(HOSTILE)} (${quoted(HOSTILE)} int)`);
    for (const name of ['a', 'b'].map((first) => `${first}${HOSTILE}`))
      await server.query(
        `create index ${quoted(name)} on ${quoted(HOSTILE)}.${quoted(HOSTILE)} (${quoted(HOSTILE)})`,
      );
    await server.query('create role mallory');
    await server.query('create table doubled as select 1 as a from generate_series(1, 2)');
    const built = server.query(`create unique index concurrently ${quoted(ENDS_COMMENT)} on doubled (a)`);
    await expect(built).rejects.toThrow('could not create unique index');
  });
  afterAll(() => server.stop());

  it.each([
    ['page', []],
    ['markdown', ['--markdown']],
    ['json', ['--json']],
    ['html', ['--html', 'verdict.html']],
  ] as const)('shows nothing of them as %s', async (form, options) => {
    const { out, err, folder } = await checkup([server.url, ...options, ...SHORT]);
    const text = form === 'html' ? readFileSync(path.join(folder, 'verdict.html'), 'utf8') : out;
    expect(text).toContain('evil');
    expect([dangers(text), dangers(err)]).toEqual([[], []]);
    expect(text).toContain('mallory');
    // JSON says exactly what the server does.
    if (form === 'json')
      expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    if (form === 'html') return;
    const source = form === 'json' ? JSON.parse(text).findings.map(remedyOf).join('\n') : text;
    const remedy = /^ *-- Of a unique index.*\n *reindex index concurrently [\s\S]*?";/m.exec(source);
    await expect(server.query(remedy?.[0] ?? '')).rejects.toThrow(
      /could not create unique index|does not exist/,
    );
    const mallory = await server.query("select rolsuper from pg_roles where rolname = 'mallory'");
    expect(mallory).toEqual([{ rolsuper: false }]);
  });
});

it('is told inertly by mails and all channels', () => {
  const half = '\ud83d';
  const alert = {
    ...SAMPLE_ALERT,
    title: `${HOSTILE}${half}`,
    description: `first\n${HOSTILE}${half}`,
    server_name: HOSTILE,
    server_host: HOSTILE,
    database_name: HOSTILE,
    object_name: HOSTILE,
    metric_name: HOSTILE,
    acknowledged_by: HOSTILE,
  };
  for (const kind of ['fire', 'clear', 'reminder'] as const)
    for (const channel of channels) {
      const message = { kind, key: 'k', timestamp: '2026-01-15T09:30:00Z', alerts: [alert] as const };
      const body = inertJson(channel.body(message));
      expect([channel.name, dangers(body)]).toEqual([channel.name, []]);
      expect(body, channel.name).not.toMatch(/\\ud[89a-f]/);
      // What is in texts is no less inert once it is read.
      const read = channel.template === 'html' ? body : JSON.stringify(JSON.parse(body));
      expect(dangers(read)).toEqual([]);
    }
});

it('is printed inertly in tables, Markdown and the log', () => {
  const lines: string[] = [];
  printTable({ out: (line: string) => lines.push(line) }, ['NAME'], [[HOSTILE]]);
  createLog({ level: 'info', destination: { write: (line) => lines.push(line) } }).info({
    event: 'app.started',
    url: HOSTILE,
  });
  lines.push(
    markdownText(HOSTILE),
    ...markdownSql(`select ${HOSTILE}`),
    inertLine(HOSTILE),
    inertBlock(HOSTILE),
  );
  lines.push(spacedLine(HOSTILE), inertOutput(HOSTILE.replaceAll('\u001b[201~', '')));
  expect(lines.flatMap(dangers)).toEqual([]);
  expect(inertOutput('\u001b[31mred\u001b[0m \u001b[201~ \u009b')).toBe(
    '\u001b[31mred\u001b[0m \\u001b[201~ \\u009b',
  );
});

describe('over the API', () => {
  let test: TestApi;
  beforeAll(async () => {
    test = await startTestApi({ rooms: [connectionsRoom] });
  });
  afterAll(() => test.close());

  it('is an escape in JSON, which says the same', async () => {
    const token = test.actors.superuser.session;
    const id = await makeConnection(test.db, { owner_id: test.actors.superuser.user_id });
    await test.db.run(sql`/* test.hostile */
      update matriarch.connections set database_name = ${HOSTILE}, username = ${HOSTILE} where id = ${id}`);
    const read = await test.call(`GET /api/v1/connections/${id}`, { token });
    expect(dangers(read.text)).toEqual([]);
    expect(read.body).toMatchObject({ database_name: HOSTILE, username: HOSTILE });
    const refused = await test.call(`GET /api/v1/connections/${encodeURIComponent(HOSTILE)}`, { token });
    expect([refused.status, dangers(refused.text)]).toEqual([400, []]);
  });
});
