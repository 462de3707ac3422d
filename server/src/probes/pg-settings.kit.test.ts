// Settings are stored as a new session finds them, whatever our own session or role sets for itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { directly, rowsOf, sessionOn } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const READER = { username: 'reader', password: 'reader' };
/** What the role was given; our own session has other values for all of them. */
const GIVEN = {
  work_mem: '32MB',
  plan_cache_mode: 'force_custom_plan',
  lc_numeric: 'POSIX',
  xmloption: 'document',
};

describe.each(majorsOfKits())('settings of PostgreSQL %i', (major) => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster({
      major,
      settings: { max_parallel_workers_per_gather: 7, work_mem: '9MB' },
    });
    await cluster.query(`create role reader login password 'reader'`);
    await cluster.query('grant pg_monitor to reader');
  }, 60_000);
  afterAll(() => cluster.stop());

  async function settings(as?: typeof READER) {
    const session = await sessionOn(cluster, as);
    try {
      const rows = await rowsOf(session, 'pg_settings');
      return new Map(rows.map(({ name, setting, source }) => [name, { setting, source }]));
    } finally {
      await session.client.close();
    }
  }

  it('are those of the server, and none is of our session', async () => {
    const found = await settings();
    expect([...found].filter(([, { source }]) => source === 'session')).toEqual([]);
    const direct = await directly(
      cluster,
      `select name, setting, source from pg_settings where source in ('configuration file', 'command line')`,
    );
    expect(direct.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['max_parallel_workers_per_gather', 'work_mem']),
    );
    for (const { name, setting, source } of direct)
      expect([name, found.get(name)]).toEqual([name, { setting, source }]);
  });

  it('are unknown where our role was given a value of its own', async () => {
    for (const [name, value] of Object.entries(GIVEN))
      await cluster.query(`alter role reader set ${name} = '${value}'`);
    const found = await settings(READER);
    expect(found.get('work_mem')).toEqual({ setting: null, source: 'user' });
    for (const name of ['plan_cache_mode', 'lc_numeric', 'xmloption'] as const)
      expect([name, found.get(name)]).toEqual([name, { setting: null, source: 'user' }]);
  });

  it.runIf(major >= 17)('include a limit of transactions that our role was given', async () => {
    await cluster.query(`alter role reader set transaction_timeout = '9s'`);
    const found = await settings(READER);
    expect(found.get('transaction_timeout')).toEqual({ setting: null, source: 'session' });
  });
});
