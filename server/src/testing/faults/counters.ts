// Probes of the generator's database (generator.ts): counters that are a known function of the server's clock. Each
// reading says when it was read, and announces itself to whoever listens.
import { type Capabilities, type Column, defineProbe } from '../../probes/types.ts';

const OBJECTS = 24;
/** Readings are announced here, as `<probe> <microseconds since the epoch>`. */
export const CHANNEL = 'reading';

/**
 * What object `id` has counted at a moment of the server's clock (microseconds since the epoch): every third object
 * moves every ten seconds only, the others all the time. The same function as test.steps in SQL.
 */
export function steps(at_us: number, id: number): number {
  return Math.floor(at_us / (id % 3 === 0 ? 10_000_000 : 1000)) * id;
}

const readAt: Column = {
  name: 'read_at_us',
  type: 'bigint',
  kind: 'gauge',
  description: 'When it was read.',
};
const counted: Column = {
  name: 'steps',
  type: 'bigint',
  kind: 'counter',
  unit: 'count',
  description: 'A known function of the moment.',
};
const common = { level: 'S', intervalSeconds: 1, retentionDays: 7 } as const;

/** Samples: one row a reading, a counter that is known. */
const TEST_COUNTERS = defineProbe({
  ...common,
  name: 'test_counters',
  description: 'A counter that is a known function of time.',
  keeps: 'samples',
  columns: [readAt, counted],
  sql: () => `select t.read_at_us, test.steps(t.read_at_us, 1) as steps
    from (select test.now_us('test_counters') as read_at_us) t`,
});

/** Objects: many counters, of which some stand still between readings. The moment is told by the first alone. */
const TEST_COUNTER_OBJECTS = defineProbe({
  ...common,
  name: 'test_counter_objects',
  description: 'Counters that are known functions of time.',
  keeps: 'objects',
  columns: [{ name: 'id', type: 'bigint', kind: 'key', description: 'Which.' }, readAt, counted],
  sql: () => `select o.id, case o.id when 1 then t.read_at_us end as read_at_us,
      test.steps(t.read_at_us, o.id) as steps
    from (select test.now_us('test_counter_objects') as read_at_us offset 0) t
    cross join pg_catalog.generate_series(1::bigint, ${OBJECTS}) as o (id)`,
});

export const COUNTERS = [TEST_COUNTERS, TEST_COUNTER_OBJECTS];

/** The same ten times a second, while a row says so: an hour's readings in six minutes. */
export const FAST_COUNTERS = COUNTERS.map((probe) => ({
  ...probe,
  intervalSeconds: 0.1,
  adaptive: { slowestSeconds: 1, busy: { column: 'pace', value: 'fast' } },
  columns: [
    ...probe.columns,
    { name: 'pace', type: 'text', kind: 'label', description: 'How fast.' } as const,
  ],
  sql: (capabilities: Capabilities) => `select q.*, 'fast'::text as pace from (${probe.sql(capabilities)}) q`,
}));
