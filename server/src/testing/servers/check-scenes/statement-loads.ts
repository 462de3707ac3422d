// What the scenes of checks of statements run, and how a reading of them is changed.
import pg from 'pg';
import type { Readings } from '../judging.ts';
import type { TestCluster } from '../postgres.ts';

export const LATER = 2 * 3_600_000;
export const RESET = 'select pg_stat_statements_reset()';

export async function repeat(server: TestCluster, times: number, query: pg.QueryConfig): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (let n = 0; n < times; n += 1) await client.query(query);
  await client.end();
}

/** The rows of a probe as another server would have them. */
export function fed(
  { readings }: Readings,
  probe: string,
  change: (row: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): void {
  const [reading] = readings.get(probe) ?? [];
  if (!reading) throw new Error(`${probe} was not read`);
  readings.set(probe, [{ ...reading, rows: reading.rows.map(change) }]);
}

/** Of the statement that was called exactly so often. */
export const ofCalls = (calls: number, change: Record<string, unknown>) => (readings: Readings) =>
  fed(readings, 'pg_stat_statements', (row) => (row.calls === calls ? { ...row, ...change } : { ...row }));

export const SORT = {
  text: 'select count(*) from (select g from generate_series(1, 250000) g order by -g) s',
};
export const FIND = { text: 'select b from searched where a = $1', values: [77] };
export const JOIN = {
  text: `select 1 from pg_class a join pg_attribute b on b.attrelid = a.oid join pg_type c on c.oid = b.atttypid
    join pg_namespace d on d.oid = c.typnamespace join pg_index e on e.indrelid = a.oid where a.oid = $1`,
  values: [0],
};
