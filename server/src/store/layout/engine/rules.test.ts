// What makes the store fit to be distributed, proved of the schema as the migrations and the whole catalog of probes
// make it: see decision 015. A table that breaks a rule works on plain PostgreSQL and fails where nobody here sees it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../kernel/sql.ts';
import { probes } from '../../../probes/catalog.gen.ts';
import { type TestDatabase, testDatabase } from '../../../testing/servers/database.ts';
import { readSource } from '../../../testing/source-files.ts';
import { ensureTierTables, readTierTables } from '../../compact/tables.ts';
import { ensureTables } from '../tables.ts';
import { plain } from './plain.ts';

interface Table {
  name: string;
  /** Made from a probe's declaration. */
  is_of_probe: boolean;
  columns: string[];
  identities: number;
  foreign_keys: number;
  triggers: number;
  /** Columns of its unique keys, the primary one first. */
  keys: string[][];
  /** Indexes that are BRIN or include columns. */
  odd_indexes: string[];
}

const catalog = sql`
  select
    c.relname as name,
    exists (
      select from matriarch.metric_tables m where m.table_name = c.relname
      union all select from matriarch.tier_tables t where t.table_name = c.relname
    ) as is_of_probe,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '') as identities,
    (select count(*) from pg_constraint f where f.contype = 'f' and c.oid in (f.conrelid, f.confrelid)) as foreign_keys,
    (select count(*) from pg_trigger g where g.tgrelid = c.oid) as triggers,
    coalesce((
      select jsonb_agg(
        (select jsonb_agg(a.attname order by k.n) from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum)
        order by not i.indisprimary
      )
      from pg_index i where i.indrelid = c.oid and i.indisunique
    ), '[]') as keys,
    coalesce((
      select jsonb_agg(x.relname)
      from pg_index i
      join pg_class x on x.oid = i.indexrelid
      join pg_am m on m.oid = x.relam
      where i.indrelid = c.oid and (m.amname = 'brin' or i.indnkeyatts <> i.indnatts)
    ), '[]') as odd_indexes
  from pg_class c
  where c.relnamespace = 'metrics'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

let test: TestDatabase;
let tables: Table[];
beforeAll(async () => {
  test = await testDatabase();
  const { layouts, problems } = await ensureTables(test.db, probes);
  expect(problems).toEqual(new Map());
  const there = await readTierTables(test.db, [...layouts.values()]);
  for (const layout of layouts.values()) await ensureTierTables(test.db, plain, { layout, there });
  tables = await test.db.rows<Table>(catalog);
});
afterAll(() => test.close());

const broken = (rule: (table: Table) => boolean, of = tables) =>
  of.filter((table) => !rule(table)).map(({ name }) => name);

describe('a table of metrics', () => {
  it('is of a probe or one of the few beside them', () => {
    const isOf = Map.groupBy(tables, ({ is_of_probe }) => is_of_probe);
    expect(isOf.get(true)?.length).toBeGreaterThan(100);
    expect(isOf.get(false)?.map(({ name }) => name)).toEqual([
      'current_snapshots',
      'facts',
      'known_gaps',
      'objects',
      'queries',
    ]);
  });

  it('begins with connection_id', () => {
    expect(broken(({ columns }) => columns[0] === 'connection_id')).toEqual([]);
  });

  it('has connection_id first in its primary key and in every other unique one', () => {
    expect(broken(({ keys }) => keys.length > 0 && keys[0]?.[0] === 'connection_id')).toEqual([]);
    expect(broken(({ keys }) => keys.every((key) => key.includes('connection_id')))).toEqual([]);
  });

  it('of a probe has no key but the primary one, with the time in it', () => {
    const own = tables.filter(({ is_of_probe }) => is_of_probe);
    expect(
      broken(({ keys }) => keys.length === 1 && keys[0]?.includes('collected_at') === true, own),
    ).toEqual([]);
  });

  it('has no foreign key, trigger, identity, INCLUDE or BRIN index', () => {
    expect(broken(({ foreign_keys }) => foreign_keys === 0)).toEqual([]);
    expect(broken(({ triggers }) => triggers === 0)).toEqual([]);
    expect(broken(({ identities }) => identities === 0)).toEqual([]);
    expect(broken(({ odd_indexes }) => odd_indexes.length === 0)).toEqual([]);
  });
});

it('ids come from sequences, never from identity columns', async () => {
  const found = await test.db.rows(sql`
    select a.attrelid::regclass::text as name
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('matriarch'::regnamespace, 'metrics'::regnamespace) and a.attidentity <> ''`);
  expect(found).toEqual([]);
});

describe('the source of the store', () => {
  const REFUSED: [string, RegExp][] = [
    ['detaches concurrently', /detach\s+partition[^;`]*\bconcurrently\b/i],
    ['groups by sets', /grouping\s+sets|group\s+by\s+(rollup|cube)\b/i],
    ['selects nothing, not even within exists (42601 on Citus)', /\bselect\s+from\b/i],
    ['asks row by row about what it has unnested (0A000 on Citus)', /from unnest\([^`;]*where not exists/i],
    ['changes the type of a column', /alter\s+column\s+\S+\s+(set\s+data\s+)?type\b/i],
  ];
  const store = readSource().filter(({ room, isTest }) => room === 'store' && !isTest);

  it.each(REFUSED)('never %s', (_what, pattern) => {
    expect(store.length).toBeGreaterThan(60);
    expect(store.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('names no partition and no engine outside of engine/', () => {
    const outside = store.filter(({ path }) => !path.startsWith('store/layout/engine/'));
    const knowing =
      /pg_inherits|attach partition|create_hypertable|drop_chunks|distributed_table|partition by range/i;
    expect(outside.filter(({ text }) => knowing.test(text)).map(({ path }) => path)).toEqual([]);
    const importing = /engine\/(plain|citus|timescale|partitions|ddl|locks)\.ts/;
    expect(outside.filter(({ text }) => importing.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
