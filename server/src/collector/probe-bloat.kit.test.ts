// The estimate of bloat against the truth: what a rewrite frees of a table and an index, nothing of a packed one, and unknown where
// the role may not see how wide the columns are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../store/layout/types.ts';
import { type ProbedDatabase, probedDatabase } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';

const SETUP = [
  'create table packed (a int, b text)',
  `insert into packed select g, repeat('x', 300) from generate_series(1, 40000) g`,
  'create table emptied (a bigint, b text)',
  `insert into emptied select g, repeat('x', 8) from generate_series(1, 500000) g`,
  'create index emptied_a on emptied (a)',
  'delete from emptied where a % 10 <> 0',
  'vacuum analyze packed, emptied',
];

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  let rows: Map<unknown, Row>;
  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), SETUP);
    const found = await database.rows('pg_bloat_estimate');
    rows = new Map(found.map((row) => [row.indexrelname ?? row.relname, row]));
  });
  afterAll(() => database.close());

  const sizeOf = async (name: string) => {
    const [row] = await database.query(`select pg_relation_size('${name}')::int as size`);
    return Number(row?.size);
  };

  it('says what a rewrite of a table and of an index frees, and 0 of what is packed', async () => {
    const names = ['emptied', 'emptied_a'];
    const before = await Promise.all(names.map(sizeOf));
    await database.query('vacuum full emptied');
    const after = await Promise.all(names.map(sizeOf));
    for (const [index, name] of names.entries()) {
      const share = Number(rows.get(name)?.reclaimable_bytes) / ((before[index] ?? 0) - (after[index] ?? 0));
      expect({ name, share: Math.abs(share - 1) < 0.1 }).toEqual({ name, share: true });
    }
    const packed = rows.get('packed');
    expect(Number(packed?.reclaimable_bytes)).toBeLessThan(0.05 * Number(packed?.actual_bytes));
    expect(Number(packed?.reclaimable_bytes)).toBeGreaterThanOrEqual(0);
  });

  it('does not know it where widths of columns are hidden from the role', async () => {
    const role = `watcher_${database.name}`;
    await database.query(`create role ${role} login password 'watcher'`);
    const session = await database.as(role, 'watcher');
    const outcome = await database.outcome('pg_bloat_estimate', session);
    if (outcome.kind !== 'ran') throw new Error(outcome.reason);
    expect(outcome.rows.find(({ relname }) => relname === 'packed')).toMatchObject({
      needed_bytes: null,
      reclaimable_bytes: null,
    });
    await session.client.close();
    await database.query(`drop role ${role}`);
  });
});
