// The sampling of active sessions on real servers: sessions that wait for a lock, sleep, run and idle are told apart and add up to what
// pg_stat_activity says at the same moment. Replication, and how often samples are taken, are in active-sessions.proof.test.ts.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { activeSessions } from '../probes/pg-active-sessions.ts';
import type { Row } from '../store/layout/types.ts';
import { doing, ofApplication, sample, until } from '../testing/servers/active-scene.ts';
import { type Major, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import type { As } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const BARE: As = { username: 'kit_bare', password: 'bare' };
const AGAIN = { timeout: 60_000, interval: 100 };
const SPIN = 'do $$ begin loop perform 1; end loop; end $$';

/** What the sampling answers, and what the view says beside it, by state and kind of wait. */
async function atOnce(server: TestCluster, most: number): Promise<[Row[], Row[]]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<Row>(activeSessions(most));
    const direct = await client.query<Row>(
      `select
         case when state like 'idle in%' then 'idle in transaction' else 'active' end as state,
         coalesce(wait_event_type, 'CPU') as wait_class,
         count(*)::int as sessions
       from pg_stat_activity
       where state in ('active', 'idle in transaction') and pid <> pg_backend_pid()
         and backend_type = 'client backend'
       group by 1, 2
       order by 1, 2`,
    );
    return [rows, direct.rows];
  } finally {
    await client.end();
  }
}

const sessionsIn = (rows: readonly Row[]) => rows.reduce((sum, { sessions }) => sum + Number(sessions), 0);

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let server: TestCluster;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    server = await startCluster({ major, settings: { compute_query_id: 'on' } });
    for (const text of [
      'create table t (id int primary key)',
      `create role ${BARE.username} login password '${BARE.password}'`,
      'create database shop',
    ])
      await server.query(text);
    const shop = server.url.replace(/\/postgres(\?|$)/, '/shop$1');
    const { host, port } = server;
    const bare = { host, port, database: 'postgres', user: BARE.username, password: BARE.password };
    const application_name = (name: string) => ({ application_name: name });
    const holder = await doing(server, 'begin', application_name('holder'));
    await holder.query('lock table t in access exclusive mode');
    clients.push(
      holder,
      await doing(server, 'select count(*) from t', application_name('waiter')),
      await doing(server, 'select count(*) from t', application_name('waiter')),
      await doing(server, 'select pg_sleep(600)', { connectionString: shop, ...application_name('sleeper') }),
      await doing(server, 'select pg_sleep(600)', { ...bare, ...application_name('bare') }),
      await doing(server, SPIN, application_name('runner')),
      await doing(server, 'select 1', application_name('idler')),
    );
    await until(async () => {
      const [row] = await server.query(
        `select count(*) filter (where wait_event_type = 'Lock') = 2
           and count(*) filter (where wait_event = 'PgSleep') = 2
           and count(*) filter (where application_name = 'runner' and state = 'active' and wait_event is null) = 1
           and count(*) filter (where application_name = 'holder' and state like 'idle in%') = 1
           and count(*) filter (where application_name = 'idler' and state = 'idle') = 1 as ready
         from pg_stat_activity`,
      );
      return row?.ready === true ? true : undefined;
    });
  });
  afterAll(async () => {
    await server?.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and backend_type = 'client backend'`);
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
    await server?.stop();
  });

  it('tells apart who waits for what', async () => {
    const { rows, cause } = await sample(server);
    expect(cause).toBeUndefined();
    const one = (name: string) => {
      const found = ofApplication(rows, name);
      expect(found).toHaveLength(1);
      return found[0];
    };
    const common = { usename: 'postgres', backend_type: 'client backend', is_rest: false };
    expect(one('waiter')).toMatchObject({
      ...common,
      state: 'active',
      wait_event_type: 'Lock',
      wait_event: 'relation',
      datname: 'postgres',
      sessions: 2,
    });
    expect(one('sleeper')).toMatchObject({ wait_event: 'PgSleep', datname: 'shop', sessions: 1 });
    expect(one('bare')).toMatchObject({ wait_event: 'PgSleep', usename: BARE.username, sessions: 1 });
    expect(one('runner')).toMatchObject({ state: 'active', wait_event_type: null, sessions: 1 });
    expect(one('holder')).toMatchObject({
      ...common,
      state: 'idle in transaction',
      wait_event: 'ClientRead',
      oldest_query_seconds: null,
    });
    expect(one('holder')?.oldest_xact_seconds).toBeGreaterThanOrEqual(0);
    expect(one('sleeper')?.query_id).not.toBeNull();
    expect(String(one('sleeper')?.query_id)).toBe(String(one('bare')?.query_id));
    expect(ofApplication(rows, 'idler')).toEqual([]);
    expect(ofApplication(rows, 'matriarch')).toEqual([]);
  });

  it.each([500, 2])('the %i largest and the rest add up to pg_stat_activity at the same moment', (most) =>
    // The list of sessions stays the same within a transaction, but not what each waits for: whoever runs may wait for a
    // lightweight lock when the second statement looks.
    vi.waitFor(async () => {
      const [rows, direct] = await atOnce(server, most);
      const ofClients = rows.filter(
        ({ backend_type, is_rest }) => is_rest || backend_type === 'client backend',
      );
      const others = rows.length - ofClients.length;
      const sums = new Map<string, number>();
      for (const { state, wait_event_type, sessions } of ofClients) {
        const key = `${state} ${wait_event_type ?? 'CPU'}`;
        sums.set(key, (sums.get(key) ?? 0) + Number(sessions));
      }
      const expected = new Map(direct.map((row) => [`${row.state} ${row.wait_class}`, row.sessions]));
      // A process of the server itself that is at work just now is one of the rest, or stands for itself.
      if (most === 500) expect(sums).toEqual(expected);
      else for (const [key, count] of expected) expect(sums.get(key)).toBeGreaterThanOrEqual(Number(count));
      expect(rows.filter(({ is_rest }) => !is_rest).length).toBeLessThanOrEqual(most);
      if (most === 2) expect(rows.some(({ is_rest }) => is_rest)).toBe(true);
      expect(others).toBeLessThan(5);
    }, AGAIN),
  );

  it('says that others are hidden from a role that may not see them, and shows its own', async () => {
    const outcome = await sample(server, BARE);
    expect(outcome).toMatchObject({ cause: 'masked', mend: `grant pg_read_all_stats to ${BARE.username};` });
    expect(sessionsIn(outcome.rows)).toBe(1);
    expect(outcome.rows).toMatchObject([{ application_name: 'bare', wait_event: 'PgSleep' }]);
    await server.query(outcome.mend ?? '');
    const mended = await sample(server, BARE);
    expect(mended.cause).toBeUndefined();
    expect(ofApplication(mended.rows, 'waiter')).toMatchObject([{ sessions: 2 }]);
    await server.query(`revoke pg_read_all_stats from ${BARE.username}`);
  });
});
