// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import type { TestCluster } from '../../testing/servers/postgres.ts';
import { endAll, type Scene, several } from '../../testing/servers/rule-scenes/scene.ts';
import { type Case, counts, slow } from '../../testing/store/rule-case-rows.ts';

/** Eleven statements, which differ by how many columns they have. */
async function sleep(server: TestCluster): Promise<void> {
  const clients = await several(11, server);
  const statement = (n: number) => `select pg_sleep(1.05)${', 1'.repeat(n)}`;
  await Promise.all(clients.map((one, n) => one.query(statement(n))));
  await endAll(clients);
}

export const stored: Case = {
  ...counts('pg_stat_statements', [{}, {}], { database_name: 'shop' }),
  before: slow(10, 1000),
  bad: () => slow(11, 2001),
  good: () => slow(11, 2001),
};

export const scenes: readonly Scene[] = [
  {
    rules: ['slow_query_count'],
    isDear: true,
    probes: ['pg_stat_statements'],
    grows: true,
    first: ({ primary }) => sleep(primary),
    async make({ primary }) {
      await sleep(primary);
      return async () => undefined;
    },
    isThere: (rows) =>
      rows.filter(({ calls, total_exec_time }) => Number(calls) === 2 && Number(total_exec_time) > 2000)
        .length > 10,
  },
];
