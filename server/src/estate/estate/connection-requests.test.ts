// What a page asks of a connection beside its coverage: trying again, watching its statements, and what was run on the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { estateRoutes } from './estate.routes.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [estateRoutes] });
});
afterAll(() => test.close());

async function person() {
  const { user_id, session } = await makeUser(test.db);
  const add = (name: string) => makeConnection(test.db, { owner_id: user_id, name, is_monitored: true });
  return { user_id, session, add };
}

describe('retestConnectionCoverage', () => {
  const retest = (id: number, token: string) =>
    test.call(`POST /api/v1/connections/${id}/coverage/retest`, { token });

  it('notes the request for the collectors, and tells nobody of connections that are not monitored', async () => {
    const { session, user_id, add } = await person();
    const id = await add('mended');
    expect(await retest(id, session)).toMatchObject({ status: 200, body: { status: 'requested' } });
    const { asked } = await test.db.one<{ asked: boolean }>(
      sql`/* test.asked */ select retest_requested_at is not null as asked from matriarch.connections where id = ${id}`,
    );
    expect(asked).toBe(true);
    const off = await makeConnection(test.db, { owner_id: user_id });
    expect(await retest(off, session)).toMatchObject({
      status: 409,
      body: { error: 'Monitoring of this connection is switched off.' },
    });
  });

  it('takes the right to change: reading is not enough', async () => {
    const { user_id, add } = await person();
    const id = await add('read only');
    const scope = { connections: [{ connection_id: id, level: 'read' as const }] };
    expect((await retest(id, await makeToken(test.db, user_id, { scope }))).status).toBe(403);
  });
});

describe('watchConnectionStatements', () => {
  const watch = (id: number, token: string) =>
    test.call(`POST /api/v1/connections/${id}/statements/watch`, { token });
  const watchedAt = (id: number) =>
    test.db.one<{ at: string }>(
      sql`/* test.watched */ select statements_watched_at as at from matriarch.connections where id = ${id}`,
    );

  it('notes that a page shows them, once for all pages of that time; reading is enough', async () => {
    const { session, user_id, add } = await person();
    const id = await add('looked at');
    const scope = { connections: [{ connection_id: id, level: 'read' as const }] };
    expect((await watch(id, await makeToken(test.db, user_id, { scope }))).status).toBe(204);
    const first = await watchedAt(id);
    expect(first.at).not.toBeNull();
    expect((await watch(id, session)).status).toBe(204);
    expect(await watchedAt(id)).toEqual(first);
  });

  it('refuses where nothing is collected', async () => {
    const { session, user_id } = await person();
    const off = await makeConnection(test.db, { owner_id: user_id });
    expect(await watch(off, session)).toMatchObject({
      status: 409,
      body: { error: 'Monitoring of this connection is switched off.' },
    });
    expect((await watchedAt(off)).at).toBeNull();
  });
});

describe('listConnectionStatements', () => {
  it('lists what was run on the server, the last first', async () => {
    const { session, add } = await person();
    const id = await add('listed');
    await test.db.run(sql`/* test.texts */
      insert into matriarch.statements (fingerprint, name, source, text)
      values ('aa', 'probe.a', 'probes/a.ts', 'select 1'), ('bb', 'probe.b', 'probes/b.ts', 'select 2')`);
    await test.db.run(sql`/* test.runs */
      insert into matriarch.statement_ledger (connection_id, fingerprint, first_run_at, last_run_at, runs, failures)
      values (${id}, 'aa', '2026-01-01', '2026-01-02', 3, 1), (${id}, 'bb', '2026-01-01', '2026-01-03', 4, 0)`);
    const answer = await test.call(`GET /api/v1/connections/${id}/statements`, { token: session });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        connection_id: id,
        statements: [
          { fingerprint: 'bb', runs: 4 },
          {
            fingerprint: 'aa',
            name: 'probe.a',
            source: 'probes/a.ts',
            text: 'select 1',
            first_run_at: expect.stringMatching(/^2026-01-01T/),
            last_run_at: expect.stringMatching(/^2026-01-02T/),
            runs: 3,
            failures: 1,
          },
        ],
      },
    });
  });
});
