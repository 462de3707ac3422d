// How what came and what changed grows with how much that is, as the server counts the rows that it goes through for an answer. Ten times as
// much may cost ten times as much and not a hundred times.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectsMade } from '../../history/objects/changed-objects.queries.ts';
import type { Sql } from '../../kernel/sql.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';
import { factEvents } from './changed-facts.queries.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const window = { from: NOW - DAY_MS, to: NOW };
let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

interface Node {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

const rowsOf = (node: Node): number => {
  const { Plans: plans = [] } = node;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return (
    node['Actual Loops'] * (node['Actual Rows'] + removed) + plans.reduce((sum, one) => sum + rowsOf(one), 0)
  );
};

/** Rows that all steps of its plan go through. */
async function rowsFor(statement: Sql): Promise<number> {
  const text = `explain (analyze, timing off, format json) ${statement.text}`;
  const found = await store.db.one<{ 'QUERY PLAN': [{ Plan: Node }] }>({ text, values: statement.values });
  return rowsOf(found['QUERY PLAN'][0].Plan);
}

/** So many were there at the first look, and ten times as many came in the window, at ten times. */
async function objects(count: number): Promise<number> {
  const id = await store.leased();
  await store.db.run(sql`/* test.objects */
    insert into metrics.objects (connection_id, object_id, kind, database_name, object_key, key, labels, first_seen, last_seen)
    select ${id}::integer, n, 'pg_stat_all_tables', 'shop', '[' || n || ']', jsonb_build_object('relid', n),
      jsonb_build_object('schemaname', 'public', 'relname', 't' || n),
      case when n <= ${count / 10} then ${new Date(NOW - 2 * DAY_MS).toISOString()}::timestamptz
      else ${new Date(NOW - DAY_MS / 2).toISOString()}::timestamptz + n % 10 * interval '5 minutes' end,
      ${new Date(NOW).toISOString()}::timestamptz
    from generate_series(1, ${count}::integer) n`);
  return id;
}

async function facts(count: number): Promise<number> {
  const id = await store.leased();
  await store.db.run(sql`/* test.facts */
    insert into metrics.facts (connection_id, probe, database_name, item_key, valid_from, valid_to, value)
    select ${id}::integer, 'pg_settings', '', 's' || n, ${new Date(NOW - 2 * DAY_MS).toISOString()}::timestamptz,
      ${new Date(NOW - DAY_MS / 2).toISOString()}::timestamptz, jsonb_build_object('name', 's' || n, 'setting', 'before')
    from generate_series(1, ${count}::integer) n
    union all
    select ${id}::integer, 'pg_settings', '', 's' || n, ${new Date(NOW - DAY_MS / 2).toISOString()}::timestamptz, null,
      jsonb_build_object('name', 's' || n, 'setting', 'after')
    from generate_series(1, ${count}::integer) n`);
  return id;
}

const madeOf = (id: number, limit = 50) =>
  objectsMade({
    without_tables: '^$',
    ...window,
    connection_ids: [id],
    probes: ['pg_stat_all_tables'],
    without: [],
    without_statements: '^$',
    limit,
    most: 100,
  });

const kinds = [
  { kind: 'config', probe: 'pg_settings', compared: ['setting'], told: ['name'], is_step: false },
];
const changedOf = (id: number) =>
  factEvents({ ...window, connection_ids: [id], kinds, limit: 50, most: 100 });

it.each([
  ['objects that came', objects, madeOf],
  ['facts that changed', facts, changedOf],
] as const)('%s: ten times as many cost ten times as much', async (_name, fill, ask) => {
  const [few, many] = [await fill(300), await fill(3000)];
  // As a datastore is while it runs: autovacuum has looked at neither table since.
  const [small, large] = [await rowsFor(ask(few)), await rowsFor(ask(many))];
  await store.db.run({ text: 'analyze metrics.objects, metrics.facts', values: [] });
  const [smallKnown, largeKnown] = [await rowsFor(ask(few)), await rowsFor(ask(many))];
  expect(large / small).toBeLessThan(14);
  expect(largeKnown / smallKnown).toBeLessThan(14);
});

it('fewer events that are asked for have fewer names read', async () => {
  const id = await objects(3000);
  const [one, all] = [await rowsFor(madeOf(id, 1)), await rowsFor(madeOf(id))];
  expect(one).toBeLessThan(all * 0.9);
  const [event] = await store.db.rows<{ change_count: number; total_count: number; objects: unknown[] }>(
    madeOf(id, 1),
  );
  expect([event?.change_count, event?.total_count, event?.objects.length]).toEqual([270, 10, 100]);
});
