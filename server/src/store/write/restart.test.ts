// A collector that starts goes on from the newest readings that are stored: increases, births and all, as if it had never stopped.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { MINUTE_MS } from '../../kernel/units.ts';
import { buckets } from '../../testing/store/buckets.ts';
import { keptRun, TABLES } from '../../testing/store/kept-probes.ts';
import { type Storing, storing } from '../../testing/store/storing.ts';

const STATEMENTS = {
  ...TABLES,
  name: 'test_statements',
  continuity: () => 'null',
  columns: [
    ...TABLES.columns,
    { name: 'stats_since', type: 'timestamp with time zone', kind: 'time', description: 'Since.' },
  ],
} as const;
const INDEXES = { ...TABLES, name: 'test_indexes', births: { inherits: true } } as const;
const probes = [TABLES, STATEMENTS, INDEXES];
const T = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 30 * MINUTE_MS;

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

interface Read {
  readonly rows: readonly [relid: number, n_tup_ins: number | string, since?: string][];
  readonly minute: number;
  readonly instance?: string;
  readonly is_cut?: true;
  readonly continuity?: string;
}

/** Each list is read by a collector of its own. */
async function collectors(
  id: number,
  lists: readonly (readonly Read[])[],
  probe: (typeof probes)[number] = TABLES,
) {
  for (const [index, reads] of lists.entries()) {
    await store.db.run(sql`
      update matriarch.connection_leases set epoch = ${index + 1} where connection_id = ${id}`);
    const writer = store.writer({ probes });
    for (const { rows, minute, instance = 'a', ...more } of reads) {
      const made = rows.map(([relid, n_tup_ins, stats_since = null]) => ({
        ...{ relid, relname: `t${relid}`, n_tup_ins, seq_scan: 0, table_size: 8192 },
        ...{ last_vacuum: null, stats_since },
      }));
      const run = keptRun(probe, {
        ...{ connection_id: id, at: T + minute * MINUTE_MS, rows: made, database_name: 'shop' },
        ...{ server_instance: instance, epoch: index + 1 },
      });
      if (run.outcome.kind !== 'ran') expect.fail();
      writer.add({ ...run, outcome: { ...run.outcome, ...more } });
    }
    await writer.flush();
    await writer.stop();
  }
  const found = await buckets(store.db, {
    ...{ probe, column: 'n_tup_ins', aggregate: 'sum', connection_ids: [id] },
    ...{ group_by: ['relid'], from: T - MINUTE_MS, to: T + 20 * MINUTE_MS, buckets: 1 },
  });
  return Object.fromEntries(found.map(({ group, whole }) => [String(group.relid), whole]));
}

const first: Read = {
  minute: 0,
  rows: [
    [1, 1000],
    [2, 7],
  ],
};

describe('after a restart', () => {
  it('what grew meanwhile is counted, and what was made', async () => {
    const found = await collectors(await store.leased(), [
      [
        first,
        {
          minute: 1,
          rows: [
            [1, 1010],
            [2, 7],
          ],
        },
      ],
      [
        {
          minute: 2,
          rows: [
            [1, 1015],
            [2, 7],
            [3, 40],
          ],
        },
        {
          minute: 3,
          rows: [
            [1, 1016],
            [3, 41],
          ],
        },
      ],
    ]);
    expect(found).toEqual({ 1: 16, 2: 0, 3: 41 });
  });

  it('what grew meanwhile is counted, however finely readings are stamped', async () => {
    const one: Read = { ...first, minute: 0.00001 };
    const found = await collectors(await store.leased(), [
      [one],
      [
        {
          minute: 2.00001,
          rows: [
            [1, 1015],
            [2, 7],
            [3, 40],
          ],
        },
        {
          minute: 3.00001,
          rows: [
            [1, 1016],
            [2, 9],
            [3, 40],
          ],
        },
      ],
    ]);
    expect(found).toEqual({ 1: 16, 2: 2, 3: 40 });
    const [ticks] = await store.db.rows(sql`
      select count(*)::integer as count from metrics."test_tables__ticks" where since >= collected_at`);
    expect(ticks).toEqual({ count: 0 });
  });

  it('counters beyond what numbers hold, and those that were reset', async () => {
    const found = await collectors(await store.leased(), [
      [
        {
          minute: 0,
          rows: [
            [1, '9223372036854775800'],
            [2, 500],
          ],
        },
      ],
      [
        {
          minute: 1,
          rows: [
            [1, '9223372036854775807'],
            [2, 3],
          ],
        },
      ],
    ]);
    expect(found).toEqual({ 1: 7, 2: 3 });
  });

  it.each<[string, Read]>([
    [
      'another life of the server',
      {
        minute: 1,
        instance: 'b',
        rows: [
          [1, 5000],
          [3, 40],
        ],
      },
    ],
    [
      'a hole',
      {
        minute: 9,
        rows: [
          [1, 5000],
          [3, 40],
        ],
      },
    ],
  ])('%s is no increase', async (_name, second) => {
    const found = await collectors(await store.leased(), [[first], [second]]);
    expect(Object.values(found).every((value) => value === null || value === 0)).toBe(true);
  });

  it('nothing that a list did not have that was cut off', async () => {
    const found = await collectors(await store.leased(), [
      [{ ...first, is_cut: true }],
      [
        {
          minute: 1,
          rows: [
            [1, 1001],
            [3, 40],
          ],
        },
      ],
    ]);
    expect(found).toEqual({ 1: 1, 2: 0, 3: 0 });
  });

  it('nothing of what a cut list left out, also where a complete one followed', async () => {
    const both: Read['rows'] = [
      [1, 1000],
      [2, 500],
    ];
    const cut: Read = { minute: 1, rows: [[1, 1000]], is_cut: true };
    const later = (minute: number): Read => ({
      minute,
      rows: [
        [1, 1001],
        [2, 900],
      ],
    });
    const start: Read = { minute: 0, rows: both };
    expect(await collectors(await store.leased(), [[start, cut], [later(2)]])).toMatchObject({ 2: 0 });
    const without: Read = { minute: 2, rows: [[1, 1000]] };
    expect(await collectors(await store.leased(), [[start, cut, without], [later(3)]])).toMatchObject({
      1: 1,
      // Made since the complete list without it.
      2: 900,
    });
  });

  it('nothing of an index that may go on with what another one had counted', async () => {
    const lists: Read[][] = [
      [first],
      [
        {
          minute: 1,
          rows: [
            [1, 1002],
            [3, 5000],
          ],
        },
      ],
    ];
    expect(await collectors(await store.leased(), lists, INDEXES)).toEqual({ 1: 2, 2: 0, 3: 0 });
  });

  it('of statements what was not thrown away in between, or says itself since when it counts', async () => {
    const old = '2026-01-01T00:00:00Z';
    const young = '2026-01-01T00:05:00.25Z';
    const lists = (now: string): Read[][] => [
      [{ minute: 0, rows: [[1, 10, old]], continuity: '1/a' }],
      [
        {
          minute: 1,
          rows: [
            [1, 12, old],
            [2, 77, young],
            [3, 5],
          ],
          continuity: now,
        },
      ],
    ];
    expect(await collectors(await store.leased(), lists('1/a'), STATEMENTS)).toEqual({ 1: 2, 2: 77, 3: 5 });
    expect(await collectors(await store.leased(), lists('2/a'), STATEMENTS)).toEqual({ 1: 2, 2: 77, 3: 0 });
  });
});
