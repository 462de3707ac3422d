import { describe, expect, it } from 'vitest';
import { SERVER, TABLES } from '../../../testing/store/kept-probes.ts';
import { layoutOf, type TableLayout } from '../../layout/table-layout.ts';
import type { ObjectRef, Tick } from '../objects/deltas.ts';
import { waitingTick } from './encode.ts';
import type { Entry } from './sample-queue.ts';
import { decodeEntries, encodeEntries } from './spool-codec.ts';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const server = layoutOf(SERVER) ?? expect.fail();
const tables = layoutOf(TABLES) ?? expect.fail();
const layouts = (...all: TableLayout[]) => new Map(all.map((layout) => [layout.probe, layout]));

const head = { connection_id: 7, epoch: 3, at: T0, bytes: 123 };
const line = '7\t0\t\\N\t2026-01-01\tkind\\tx\t5\t0.5\t\\N\t{}\t{}';
const samples: Entry = { ...head, database_name: '', layout: server, lines: [line], ticks: [] };
const ref = (key: string, id?: number): ObjectRef => ({
  key,
  keyJson: `{"relid":${key}}`,
  labelsJson: '{"relname":"ä"}',
  id,
  dirty: true,
});
const [one, two] = [ref('1', 11), ref('2')];
const tick: Tick = {
  at: T0,
  keyframe: false,
  whole: false,
  since: T0 - 1000,
  objects: [
    { ref: one, values: [1, '9007199254740993', null, null] },
    { ref: two, values: [2, 0, 8192, '2026-01-01 00:00:00\t+00'] },
  ],
  gone: [two],
};
const objects: Entry = {
  ...head,
  database_name: 'shop',
  layout: tables,
  lines: [],
  ticks: [waitingTick(tables, tick)],
};
/** A reference as another process knows it. */
const forgotten = (known: ObjectRef): ObjectRef => ({ ...known, id: undefined, dirty: false });

describe('entries on the disk', () => {
  it('come back as they were, but for ids, which are asked of the dictionary', () => {
    const [first, second] = decodeEntries(encodeEntries([samples, objects]), layouts(server, tables)) ?? [];
    expect(first).toEqual(samples);
    const [waiting] = objects.ticks;
    expect(second).toEqual({
      ...objects,
      ticks: [{ ...waiting, refs: [forgotten(one), forgotten(two)], gone: [forgotten(two)] }],
    });
    // The object that has gone is the one that was there.
    expect(second?.ticks[0]?.gone[0]).toBe(second?.ticks[0]?.refs[1]);
  });

  it("of the version that wrote the values of each object come back as today's", () => {
    const { at, keyframe, whole, since } = tick;
    const { ticks: _, lines: __, layout: ___, ...entry } = objects;
    const stored = {
      version: 1,
      columns: { [TABLES.name]: { table: [], values: tables.values.map(({ name }) => name) } },
      refs: [one, two].map(({ key, keyJson, labelsJson }) => [key, keyJson, labelsJson]),
      entries: [
        {
          ...entry,
          probe: TABLES.name,
          ticks: [
            {
              ...{ at, keyframe, whole, since },
              objects: tick.objects.map(({ values }, index) => [index, ...values]),
              gone: [1],
            },
          ],
        },
      ],
    };
    const read = (payload: object) => decodeEntries(Buffer.from(JSON.stringify(payload)), layouts(tables));
    expect(read(stored)).toEqual(decodeEntries(encodeEntries([objects]), layouts(tables)));
    // Written before a column came, and before another was left out.
    stored.columns = { [TABLES.name]: { table: [], values: ['gone_since', 'seq_scan', 'table_size'] } };
    expect(read(stored)?.[0]?.ticks[0]?.fields).toBe('\t{}\t{"9007199254740993",0}\t{NULL,8192}\t\\N');
  });

  it('that mention an object without a name are nothing, since their values would be those of others', () => {
    const payload = JSON.parse(encodeEntries([objects]).toString());
    payload.refs.pop();
    expect(decodeEntries(Buffer.from(JSON.stringify(payload)), layouts(tables))).toBeUndefined();
  });

  it('of an older version are read under the columns of today', () => {
    const added = { name: 'idx_scan', type: 'bigint', kind: 'counter', description: 'New.' } as const;
    const [first = SERVER.columns[0]] = SERVER.columns;
    const wider = layoutOf({ ...SERVER, columns: [first ?? added, added, ...SERVER.columns.slice(2)] });
    const fewer = layoutOf({
      ...TABLES,
      columns: [added, ...TABLES.columns.filter(({ name }) => name !== 'seq_scan')],
    });
    const known = layouts(wider ?? expect.fail(), fewer ?? expect.fail());
    const [a, b] = decodeEntries(encodeEntries([samples, objects]), known) ?? [];
    expect(a?.lines).toEqual(['7\t0\t\\N\t2026-01-01\tkind\\tx\t\\N\t0.5\t\\N\t{}\t{}']);
    const twice = { ...samples, lines: [`${samples.lines[0]}\n${samples.lines[0]}`] };
    const [both] = decodeEntries(encodeEntries([twice]), known) ?? [];
    expect(both?.lines).toEqual([`${a?.lines[0]}\n${a?.lines[0]}`]);
    // A counter that nobody read is an empty array in a row of increases.
    expect(b?.ticks[0]?.fields).toBe('\t{}\t{1,2}\t{NULL,8192}\t{NULL,"2026-01-01 00:00:00\\t+00"}');
    expect(b?.ticks[0]?.refs).toEqual([forgotten(one), forgotten(two)]);
  });

  it('of a probe that is gone are left out; what cannot be read is nothing', () => {
    expect(decodeEntries(encodeEntries([samples, objects]), layouts(server))).toEqual([samples]);
    expect(decodeEntries(Buffer.from('{"version":3}'), layouts(server))).toBeUndefined();
    expect(decodeEntries(Buffer.from('{"version":'), layouts(server))).toBeUndefined();
  });
});
