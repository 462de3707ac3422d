import { describe, expect, it } from 'vitest';
import { WireFields, WireRow } from '../monitored/wire-rows.ts';
import { probes } from '../probes/catalog.gen.ts';
import { tell } from '../probes/requirements/judge.ts';
import { identifier, shown } from '../probes/requirements/names.ts';
import { remedyText } from '../probes/requirements/remedy.ts';
import { type Capabilities, type Column, defineProbe, isSqlProbe, type Probe } from '../probes/types.ts';
import { UnchangedRow, valueIn, wholeRows } from '../store/layout/types.ts';
import { BadAnswer, decodeRows } from './decode.ts';
import { probeStatement } from './probe.queries.ts';

const COLUMNS: Column[] = [
  { name: 't', type: 'text', kind: 'key', description: '' },
  { name: 'i', type: 'bigint', kind: 'gauge', description: '' },
  { name: 'd', type: 'double precision', kind: 'gauge', description: '' },
  { name: 'b', type: 'boolean', kind: 'label', description: '' },
  { name: 'w', type: 'timestamp with time zone', kind: 'time', description: '' },
  { name: 'l', type: 'text[]', kind: 'label', description: '' },
  { name: 'j', type: 'jsonb', kind: 'label', description: '' },
];

const probe = defineProbe({
  name: 'p',
  description: '',
  level: 'S',
  intervalSeconds: 30,
  retentionDays: 7,
  keeps: 'snapshot',
  columns: COLUMNS,
  caps: { maxRows: 2, maxText: 5, maxBytes: 200 },
  sql: () => 'select * from x',
});

const nothing: Capabilities = {
  version_num: 180_000,
  may_read_control: false,
  columns: new Map(),
  extensions: new Map(),
  extensionSchemas: new Map(),
  closedSchemas: new Map(),
  functions: new Set(),
  roles: new Set(),
};
const row = { t: 'a', i: 1, d: 0.5, b: true, w: '2026-01-01T00:00:00.123456Z', l: ['a', null], j: {} };

describe('the statement of a probe', () => {
  it('reads the declared columns, cut, one row more than kept, under its name', () => {
    expect(probeStatement(probe, nothing)).toBe(
      [
        '/* probe.p */',
        'select',
        '  p.t::pg_catalog.text as t,',
        '  p.i::bigint as i,',
        '  p.d::double precision as d,',
        '  p.b::boolean as b,',
        '  p.w::timestamp with time zone as w,',
        '  p.l::pg_catalog.text[] as l,',
        '  p.j::pg_catalog.jsonb as j',
        'from (\nselect * from x\n) as p',
        'limit 3',
      ].join('\n'),
    );
  });
});

describe('the answer', () => {
  it('comes back as declared', async () => {
    expect(await decodeRows(probe, [{ ...row, unasked: 'dropped' }])).toEqual({
      rows: [row],
      bytes: expect.any(Number),
    });
    const empty = { t: null, i: null, d: null, b: null, w: null, l: null, j: null };
    expect(await decodeRows(probe, [empty])).toEqual({ rows: [empty], bytes: 7 * 8 });
  });

  it('keeps 64-bit integers exact, and knows no infinite measurements or moments', async () => {
    const odd = { ...row, i: '9223372036854775807', d: Number.NaN, w: 'infinity' };
    expect((await decodeRows(probe, [odd])).rows).toEqual([
      { ...row, i: '9223372036854775807', d: null, w: null },
    ]);
  });

  it('is cut to the caps, and says so', async () => {
    const { rows, note } = await decodeRows(probe, [{ ...row, t: 'longer than five' }, row, row]);
    expect(rows).toHaveLength(2);
    expect(wholeRows(rows)[0]?.t).toBe('longe');
    expect(note).toBe('There are more than 2 rows; the rest is not kept.');
  });

  it.each([
    ['text', { t: 1 }],
    ['bigint', { i: 1.5 }],
    ['bigint', { i: "1'; drop" }],
    ['double precision', { d: '1' }],
    ['boolean', { b: 'yes' }],
    ['timestamp', { w: 5 }],
    ['text', { t: undefined }],
    ['text[]', { l: 'a' }],
    ['text[]', { l: [['a']] }],
    ['jsonb', { j: undefined }],
    ['jsonb', { j: [[[[[[[[[1]]]]]]]]] }],
  ])('of a hostile server without a %s where one is declared is refused', async (type, bad) => {
    await expect(decodeRows(probe, [{ ...row, ...bad }])).rejects.toThrow(BadAnswer);
    await expect(decodeRows(probe, [{ ...row, ...bad }])).rejects.toThrow(type);
  });

  it('is cut in lists too, and blanked where it may hold secrets', async () => {
    const { rows: listed } = await decodeRows(probe, [{ ...row, l: ['longer than five'] }]);
    expect(wholeRows(listed)[0]?.l).toEqual(['longe']);
    const columns = COLUMNS.map((column) =>
      column.name === 't' ? { ...column, scrub: true as const } : column,
    );
    const caps = { ...probe.caps, maxText: 200 };
    const { rows } = await decodeRows(defineProbe({ ...probe, caps, columns }), [
      { ...row, t: "alter role r password 'hunter2'" },
    ]);
    expect(wholeRows(rows)[0]?.t).toBe("alter role r password '********'");
  });

  it('that is too large is refused', async () => {
    const wide = defineProbe({ ...probe, caps: { ...probe.caps, maxText: 1000 } });
    await expect(decodeRows(wide, [{ ...row, t: 'x'.repeat(300) }])).rejects.toThrow(/larger than 200 bytes/);
  });
});

describe('probes', () => {
  it.each<Probe>(probes)(
    '$name has keys where it is tracked, units where it measures, and lower-case names',
    (one) => {
      for (const column of one.columns) {
        expect(column.name).toMatch(/^[a-z][a-z0-9_]*$/);
        expect(column.description.length).toBeGreaterThan(3);
      }
      if (isSqlProbe(one)) expect(one.sql(nothing).replaceAll(/--.*/g, '')).not.toMatch(/;|\$\d/);
      expect(one.intervalSeconds).toBeGreaterThanOrEqual(one.adaptive ? 1 : 5);
    },
  );
});

describe('names in SQL and sentences', () => {
  it('are quoted where they have to be, and visible always', () => {
    expect(identifier('plain_1')).toBe('plain_1');
    expect(identifier('Mixed')).toBe('"Mixed"');
    expect(identifier('a"; drop table x; --')).toBe('"a""; drop table x; --"');
    expect(identifier('a\u202eb\\"c')).toBe('U&"a\\+00202Eb\\\\""c"');
    expect(shown('a\u202eb\nc')).toBe('a\ufffdb\ufffdc');
    const { remedy } = tell('connect_missing', '', { database: 'pay"roll', username: 'Mon' });
    expect(remedyText(remedy ?? [])).toBe('grant connect on database "pay""roll" to "Mon";');
  });
});

describe('an answer that is compared before it is read', () => {
  const FIELDS = [
    { name: 't', dataTypeID: 25 },
    { name: 'i', dataTypeID: 20 },
  ];
  const texts = (values: readonly (string | null)[]) =>
    Buffer.concat(
      values.map((value) => {
        const length = Buffer.alloc(4);
        length.writeInt32BE(value === null ? -1 : value.length);
        return Buffer.concat([length, Buffer.from(value ?? '')]);
      }),
    );
  const columns = new WireFields(FIELDS);
  const sent = (...values: (string | null)[]) => {
    const buffer = texts(values);
    return new WireRow(columns, { buffer, from: 0, to: buffer.length });
  };
  const narrow = defineProbe({
    ...probe,
    keeps: 'objects',
    columns: COLUMNS.slice(0, 2),
    caps: { maxRows: 3, maxText: 5, maxBytes: 100 },
  });

  it('reads as any other, whatever of it was known', async () => {
    const first = await decodeRows(narrow, [sent('longer', '1'), sent('b', null)]);
    expect(first.rows).toEqual([
      { t: 'longe', i: 1 },
      { t: 'b', i: null },
    ]);
    const known = first.digests ?? new Float64Array();
    const next = await decodeRows(narrow, [sent('b', null), sent('c', '2'), sent('longer', '1')], {
      known,
    });
    expect([...(next.digests ?? [])]).toEqual([known[1], expect.any(Number), known[0]]);
    expect(next.rows.map((row) => row instanceof UnchangedRow)).toEqual([true, false, true]);
    expect(wholeRows(next.rows)).toEqual([
      { t: 'b', i: null },
      { t: 'c', i: 2 },
      { t: 'longe', i: 1 },
    ]);
    expect(next.rows.map((row) => valueIn(row, 'undeclared'))).toEqual([undefined, undefined, undefined]);
  });

  it('checks what is new, and makes nothing of what fitted before', async () => {
    const odd = sent('x', 'no number');
    await expect(decodeRows(narrow, [odd])).rejects.toThrow(BadAnswer);
    const { rows } = await decodeRows(narrow, [odd], { known: Float64Array.of(odd.digest()) });
    expect(rows.map((row) => valueIn(row, 't'))).toEqual(['x']);
  });

  it('is not compared where every row is kept anyway', async () => {
    const every = defineProbe({ ...narrow, keeps: 'samples' });
    const known = Float64Array.of(sent('b', '1').digest());
    const decoded = await decodeRows(every, [sent('b', '1')], { known });
    expect(decoded).toEqual({ rows: [{ t: 'b', i: 1 }], bytes: 9 });
  });

  it('fails where a value is none of the type that the server named', async () => {
    const broken = texts(['{"a":', '1']);
    const fields = new WireFields([{ name: 't', dataTypeID: 3802 }, ...FIELDS.slice(1)]);
    const row = new WireRow(fields, { buffer: broken, from: 0, to: broken.length });
    await expect(decodeRows(narrow, [row])).rejects.toThrow(
      new BadAnswer('The server sent a value that cannot be read.'),
    );
  });
});
