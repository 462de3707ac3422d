// Roles whose own settings would keep a session from answering: on a standby, where no transaction can be serializable, and on a primary
// where a serializable, deferrable transaction waits for writers. Each is a real server, and each scene is shown to bite others.
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../kernel/clock.ts';
import { openClient } from '../testing/servers/client.ts';
import { startForward } from '../testing/servers/forward.ts';
import type { TestCluster } from '../testing/servers/postgres.ts';
import { replicatingServer, startStandby, stopAtEnd, untilTrue } from '../testing/servers/server-sets.ts';
import { TestSessions, testSettings } from '../testing/servers/target.ts';
import { majorsInFull } from '../testing/tier.ts';

const { connect, end } = new TestSessions();
afterEach(end);

const PASSWORD = 'odd';
/** Of the role: what would keep an answer from coming, or change it. */
const ODD = [
  `default_transaction_isolation = 'serializable'`,
  'default_transaction_deferrable = on',
  `statement_timeout = '400ms'`,
  `search_path = 'pg_temp, public'`,
  `datestyle = 'German'`,
  'client_encoding = latin1',
  // A message for each read of a block (18+).
  'client_min_messages = debug5',
];
/** Less than an answer takes. */
const LIMIT_OF_17 = `transaction_timeout = '20ms'`;

/** What another client's first statement is refused with; undefined when it is answered. */
async function refusalOf(server: TestCluster): Promise<string | undefined> {
  const { host, port } = server;
  const client = new pg.Client({ host, port, database: 'postgres', user: 'odd', password: PASSWORD });
  await client.connect();
  try {
    await client.query('select pg_sleep(0.6)');
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await client.end();
  }
}

async function answerOf(server: TestCluster): Promise<unknown> {
  const client = await connect(testSettings(server, { username: 'odd' }));
  const [row] = await client.query(
    `select pg_catalog.current_setting('transaction_isolation') as isolation, '2026-02-01'::timestamptz::text as at,
      pg_catalog.chr(8364) as euro from pg_catalog.pg_sleep(0.6)`,
  );
  return row;
}
const RIGHT = { isolation: 'read committed', at: '2026-02-01 00:00:00+00', euro: '€' };

describe.each(majorsInFull())('a role of PostgreSQL %i with settings of its own', (major) => {
  let primary: TestCluster;
  beforeAll(async () => {
    primary = await replicatingServer({ major });
    await primary.query(`create role odd login password '${PASSWORD}'`);
    for (const setting of [...ODD, ...(major >= 17 ? [LIMIT_OF_17] : [])])
      await primary.query(`alter role odd set ${setting}`);
    return () => primary.stop();
  });

  it('is answered where limits strike before the first statement, in every one of its sessions', async () => {
    await primary.query(`create role hasty login password '${PASSWORD}'`);
    const limits = [
      'statement_timeout',
      'idle_session_timeout',
      ...(major >= 17 ? ['transaction_timeout'] : []),
    ];
    for (const limit of limits) await primary.query(`alter role hasty set ${limit} = '1ms'`);
    const over = { username: 'hasty', connect_timeout_ms: 30_000 };
    const settings = testSettings({ ...primary, password: PASSWORD }, over);
    for (let n = 0; n < 5; n += 1) {
      const client = await connect(settings);
      await sleep(5);
      expect(await client.query('select 1 as one')).toEqual([{ one: 1 }]);
    }
    const uncounted = { ...settings, startup_options: '-c work_mem=77kB' };
    const asked = `select pg_catalog.current_setting('work_mem') as kept`;
    expect(await (await connect(uncounted)).query(asked)).toEqual([{ kept: '77kB' }]);
  });

  it('is ended for idling behind a proxy once, and no more', async () => {
    await primary.query(`create role idler login password '${PASSWORD}'`);
    await primary.query(`alter role idler set idle_session_timeout = '300ms'`);
    const proxy = await startForward(primary);
    onTestFinished(() => proxy.stop());
    const settings = testSettings(
      { ...primary, port: proxy.port, password: PASSWORD },
      { username: 'idler' },
    );
    const lost = async () => {
      const client = await connect(settings);
      expect(client.way).toBe('unproven');
      const { promise, resolve } = Promise.withResolvers<string>();
      client.onLost(({ code }) => resolve(code));
      return Promise.race([promise, sleep(1000)]);
    };
    expect(await lost()).toBe('57P05');
    expect(await lost()).toBeUndefined();
  });

  it('is answered on a standby, where serializable is not possible', async () => {
    const standby = await stopAtEnd(startStandby(primary));
    await untilTrue(standby, `exists (select from pg_roles where rolname = 'odd')`);
    expect(await refusalOf(standby)).toMatch(
      /cannot use serializable mode in a hot standby|transaction timeout/,
    );
    expect(await answerOf({ ...standby, password: PASSWORD })).toMatchObject(RIGHT);
  });

  it('is answered on a primary while a serializable transaction writes', async () => {
    const writer = await openClient(primary, 'writer');
    await writer.query('create table if not exists written (id int)');
    await writer.query('begin isolation level serializable');
    await writer.query('insert into written values (1)');
    try {
      expect(await refusalOf(primary)).toMatch(/(?:statement|transaction) timeout/);
      expect(await answerOf({ ...primary, password: PASSWORD })).toMatchObject(RIGHT);
    } finally {
      await writer.query('rollback');
      await writer.end();
    }
  });
});
