// The one way in for statements of people, from the caller's rights to the audit log, on a real server.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ctx } from '../../identity/access/principal.ts';
import { auditRoutes } from '../../identity/audit/audit.routes.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Actor } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsOf, connectionsRoom } from '../../testing/rooms/connections.ts';
import { sqlOf, sqlRoom } from '../../testing/rooms/sql.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';
import { isProof } from '../../testing/tier.ts';
import { createSql } from './sql.service.ts';

let test: TestApi;
let connection_id = 0;

beforeAll(async () => {
  test = await startTestApi({ rooms: [auditRoutes, connectionsRoom, sqlRoom] });
  const { host, port, superuser: username, password } = datastoreServer();
  const made = await test.call('POST /api/v1/connections', {
    token: test.actors.superuser.session,
    body: { name: 'real', host, port, username, password, database_name: 'postgres', ssl_mode: 'disable' },
  });
  connection_id = JSON.parse(made.text).id;
});
afterAll(() => test.close());

const ctxOf = ({ user_id, username }: Actor, is_superuser: boolean): Ctx => ({
  db: test.db,
  principal: {
    user_id,
    username,
    is_superuser,
    admin_permissions: [],
    via: { kind: 'session', id: 1 },
    scope: undefined,
  },
  clock: systemClock,
  log: silentLog,
  signal: new AbortController().signal,
});
const asked = (text: string) => ({ connection_id, text, purpose: 'a test' });

it('answers rows to whoever may read the connection, and nobody else', async () => {
  const sql = await sqlOf(test.parts);
  const answer = await sql.run(ctxOf(test.actors.superuser, true), {
    ...asked('select $1::int4 + 1 as n'),
    params: ['1'],
  });
  expect(answer).toMatchObject({
    kind: 'answer',
    columns: [{ name: 'n', type: 'integer' }],
    rows: [['2']],
    truncated: false,
    cut_by: null,
    bytes: 1,
  });
  const refused = sql.run(ctxOf(test.actors.other, false), asked('select 1'));
  await expect(refused).rejects.toBeInstanceOf(Fault);
});

it('says why it ran nothing, and writes down what was tried with its fingerprint and no text', async () => {
  const sql = await sqlOf(test.parts);
  const ctx = ctxOf(test.actors.superuser, true);
  expect(await sql.run(ctx, asked('drop table secret_word'))).toMatchObject({
    kind: 'refused',
    why: 'not_allowed',
  });
  expect(await sql.run(ctx, asked('select secret_word'))).toMatchObject({
    kind: 'refused',
    sqlstate: '42703',
  });
  expect(await sql.explain(ctx, asked('select 1'))).toMatchObject({ kind: 'answer' });
  expect(await sql.prepareOnly(ctx, asked('select $1::int4'))).toMatchObject({
    parameter_types: ['integer'],
  });
  const log = await test.call('GET /api/v1/audit?action=sql.run', {
    token: test.actors.superuser.session,
  });
  expect(log.status).toBe(200);
  expect(log.text).not.toContain('secret_word');
  const { events } = JSON.parse(log.text);
  const outcomes = events.map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes.slice(0, 5)).toEqual(['ok', 'ok', 'failed', 'refused', 'ok']);
  expect(events[4].details).toMatchObject({
    purpose: 'a test',
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    rows: 1,
    bytes: 1,
    ms: expect.any(Number),
  });
});

it('refuses a superuser to tools, unless somebody decided otherwise for that connection', async () => {
  const connections = await connectionsOf(test.parts);
  const ctx = ctxOf(test.actors.superuser, true);
  const role = async () => ({ kind: 'missing' as const, reason: 'not asked here' });
  const datastore = { url: test.database.url, role };
  const options = { connections, clock: systemClock, datastore, queries_per_minute: 60 };
  for (const [sql_as_superuser, kind] of [
    [[], 'refused'],
    [['999'], 'refused'],
    [[String(connection_id)], 'answer'],
  ] as const) {
    const sql = createSql({ ...options, sql_as_superuser });
    try {
      const answer = await sql.run(ctx, asked('select 1'));
      expect(answer.kind).toBe(kind);
      if (answer.kind === 'refused')
        expect([answer.why, answer.message]).toEqual(['role', expect.stringContaining('a superuser')]);
      expect((await sql.explain(ctx, asked('select 1'))).kind).toBe(kind);
      expect((await sql.prepareOnly(ctx, asked('select 1'))).kind).toBe(kind);
      // Whoever may write there decides for themselves.
      const typed = await sql.runConnectionQuery(ctx, { connection_id, query: 'select 1' });
      expect(typed.results?.[0]?.rows).toEqual([['1']]);
    } finally {
      await sql.stop();
    }
  }
});

it.runIf(isProof())(
  'counts what a server does not interrupt until it has ended there',
  async () => {
    const sql = await sqlOf(test.parts);
    const ctx = ctxOf(test.actors.superuser, true);
    // Nested counting of nodes is done by libxml, which looks at no signal.
    const nested = (n: number) =>
      `select xpath('count(//a[count(//a) > 0])', ('<r>' || repeat('<a/>', ${n}) || '</r>')::xml)`;
    const run = (text: string) => sql.run(ctx, { ...asked(text), timeout_ms: 2000 });
    const both = await Promise.all([run(nested(30_000)), run(nested(30_000))]);
    for (const one of both)
      expect(one).toMatchObject({
        why: 'time',
        message: expect.stringMatching(/the server did not cancel it/),
      });
    await expect(run('select 1')).rejects.toThrow(
      /You already have 2 questions to monitored servers running/,
    );
    await expect
      .poll(() => run('select 1').then(({ kind }) => kind, String), { timeout: 90_000, interval: 500 })
      .toBe('answer');
  },
  120_000,
);
