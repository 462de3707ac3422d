// What runs out, through HTTP, of samples that the test wrote so that the date is known from how they were made: disks, slots,
// sequences, transaction ids, connections; what is unknown and why; who sees which; how many statements it takes.

import { describe, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import type { Row } from '../../store/layout/types.ts';
import { makeUser } from '../../testing/access/actors.ts';
import { historyApi } from '../../testing/history-api.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import { keepDueRunway, keepRunwayOf } from './keep.service.ts';
import { runwayRoutes } from './runway.routes.ts';
import type { Runway, RunwayItem } from './runway.schemas.ts';

const { api, connection } = historyApi([runwayRoutes]);

const GIB = 1024 ** 3;

/** As it is found at this moment of the servers that the query names. */
async function ask(query: string, token = api().actors.owner.session): Promise<Static<typeof Runway>> {
  const [, ids = ''] = /connection_ids?=([\d,]+)/.exec(query) ?? [];
  await keepRunwayOf(api().db, ids.split(',').map(Number), Date.now());
  const { status, body, text } = await api().call(`GET /api/v1/runway${query}`, { token });
  expect(status, text).toBe(200);
  return body as Static<typeof Runway>;
}

type Item = Static<typeof RunwayItem>;
const of = async (id: number, kind: Item['kind']) => {
  const { items } = await ask(`?connection_id=${id}&kind=${kind}`);
  return items;
};

/** The newest ten minutes ago, and one each day before. */
function feed(id: number, probe: string, days: readonly (readonly Row[])[]) {
  const database_name = probe === 'pg_sequence_usage' ? 'shop' : '';
  const newest = Date.now() - 10 * 60_000;
  return collectedHistory(
    api().db,
    days.map((rows, index) => ({
      connection_id: id,
      probe,
      database_name,
      at: newest - (days.length - 1 - index) * DAY_MS,
      rows,
    })),
  );
}

const each = (count: number, rows: (day: number) => readonly Row[]) =>
  Array.from({ length: count }, (_none, day) => rows(day));

const inDays = (at: string | null | undefined) => (Date.parse(at ?? '') - Date.now()) / DAY_MS;

const volume = (used: number, free: number, mount_point = '/data'): Row => ({
  mount_point,
  total_space: (used + free) * GIB,
  used_space: used * GIB,
  free_space: free * GIB,
});

describe('the date something runs out', () => {
  it('is that of pg_stat_statements while it fills, and of a full one there is none', async () => {
    const [filling, full] = [await connection(), await connection()];
    await feed(
      filling,
      'pg_stat_statements_info',
      each(6, (day) => [{ entries: 1000 + 500 * day, max_entries: 5000 }]),
    );
    await feed(
      full,
      'pg_stat_statements_info',
      each(6, (day) => [{ entries: 5000 - 100 * (day % 2), max_entries: 5000 }]),
    );
    const [found, ...others] = await of(filling, 'statements');
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      state: 'runs_out',
      used: 3500,
      limit: 5000,
      object_name: null,
      database_name: null,
    });
    expect(inDays(found?.runs_out_at)).toBeCloseTo(3, 0);
    expect(await of(full, 'statements')).toMatchObject([{ state: 'not_growing', used: 4900, limit: 5000 }]);
  });

  it('is that of a disk which grows by the same each day', async () => {
    const id = await connection();
    await feed(
      id,
      'pg_sys_disk_info',
      each(6, (day) => [volume(50 + 2 * day, 40 - 2 * day), volume(5, 95, '/')]),
    );
    const items = await of(id, 'disk');
    expect(items.map(({ object_name, state }) => [object_name, state])).toEqual([
      ['/data', 'runs_out'],
      ['/', 'not_growing'],
    ]);
    const [found] = items;
    expect(found).toMatchObject({
      used: 60 * GIB,
      limit: 90 * GIB,
      unit: 'bytes',
      server_name: expect.any(String),
    });
    // 30 GiB are free, and 2 go each day.
    expect(inDays(found?.runs_out_at)).toBeGreaterThan(14);
    expect(inDays(found?.runs_out_at)).toBeLessThan(16);
    expect((found?.per_day ?? 0) / GIB).toBeCloseTo(2, 1);
    expect(found?.days.slice(-6).map((value) => (value ?? 0) / GIB)).toEqual([50, 52, 54, 56, 58, 60]);
  });

  it('is that of a slot which nobody reads, by the free space of the disk it lies on, or by its own limit', async () => {
    const id = await connection();
    await collected(api().db, {
      connection_id: id,
      probe: 'pg_server_info',
      history_by: [],
      rows: [{ server_version_num: 180004, data_directory: '/data/18/main', usable_connections: 97 }],
    });
    await feed(
      id,
      'pg_sys_disk_info',
      each(5, () => [volume(50, 20), volume(5, 95, '/')]),
    );
    const slots = (day: number, safe: number | null): Row[] => [
      { slot_name: 'left', active: false, retained_bytes: (1 + day) * GIB, safe_wal_size: safe },
    ];
    await feed(
      id,
      'pg_replication_slots',
      each(5, (day) => slots(day, null)),
    );
    const [bySize] = await of(id, 'replication_slot');
    expect(bySize).toMatchObject({ object_name: 'left', state: 'runs_out', limit: 25 * GIB });
    expect(inDays(bySize?.runs_out_at)).toBeCloseTo(20, 0);
    expect(bySize?.limited_by).toContain('/data');

    const kept = await connection();
    await feed(
      kept,
      'pg_replication_slots',
      each(5, (day) => slots(day, (9 - day) * GIB)),
    );
    const [byLimit] = await of(kept, 'replication_slot');
    expect(byLimit).toMatchObject({
      state: 'runs_out',
      limit: 10 * GIB,
      limited_by: 'max_slot_wal_keep_size',
    });
    expect(inDays(byLimit?.runs_out_at)).toBeCloseTo(5, 0);
  });

  it('is that of the sequence that ends first, by its name', async () => {
    const id = await connection();
    const one = (seqrelid: number, sequencename: string, exhausted_percent: number): Row => ({
      ...{ seqrelid, schemaname: 'public', sequencename, is_readable: true, cycles: false },
      ...{ last_value: 1, used_percent: exhausted_percent, exhausted_percent },
    });
    await feed(
      id,
      'pg_sequence_usage',
      each(6, (day) => [one(1, 'orders_id_seq', 60 + 2 * day), one(2, 'small_id_seq', 1)]),
    );
    const items = await of(id, 'sequence');
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      database_name: 'shop',
      object_name: 'public.orders_id_seq',
      state: 'runs_out',
      used: 70,
      limit: 100,
    });
    expect(inDays(items[0]?.runs_out_at)).toBeCloseTo(15, 0);
  });

  it('is not told of ages that freezing brings down, and is of those that it does not', async () => {
    const id = await connection();
    const age = (datname: string, xid_age: number): Row => ({
      ...{ datname, xid_age, mxid_age: 10, autovacuum_freeze_max_age: 200_000_000 },
      autovacuum_multixact_freeze_max_age: 400_000_000,
    });
    await feed(
      id,
      'pg_wraparound',
      each(8, (day) => [age('well', 20e6 * day), age('postgres', 1000)]),
    );
    expect(await of(id, 'transaction_ids')).toMatchObject([{ database_name: 'well', state: 'not_growing' }]);
    expect(await of(id, 'multixact_ids')).toMatchObject([{ state: 'not_growing' }]);

    const bad = await connection();
    await feed(
      bad,
      'pg_wraparound',
      each(8, (day) => [age('stuck', 1000e6 + 50e6 * day), age('well', 20e6 * day)]),
    );
    const [found] = await of(bad, 'transaction_ids');
    expect(found).toMatchObject({ database_name: 'stuck', state: 'runs_out' });
    expect(inDays(found?.runs_out_at)).toBeCloseTo((2_144_483_647 - 1350e6) / 50e6, 0);
  });

  it('is that at which the sessions of all databases reach what is not reserved', async () => {
    const id = await connection();
    await collected(api().db, {
      connection_id: id,
      probe: 'pg_server_info',
      history_by: [],
      rows: [{ server_version_num: 180004, usable_connections: 97 }],
    });
    const sessions = (day: number): Row[] => [
      { datname: 'shop', numbackends: 20 + 4 * day },
      { datname: 'postgres', numbackends: 3 },
    ];
    await feed(id, 'pg_stat_database', each(6, sessions));
    const [found] = await of(id, 'connections');
    expect(found).toMatchObject({ state: 'runs_out', used: 43, limit: 97 });
    expect(inDays(found?.runs_out_at)).toBeCloseTo(13.5, 0);
  });
});

describe('what nobody can tell', () => {
  it('is unknown, because', async () => {
    const id = await connection();
    await feed(
      id,
      'pg_sys_disk_info',
      each(2, (day) => [volume(50 + day, 40 - day)]),
    );
    await collected(api().db, {
      connection_id: id,
      probe: 'pg_sequence_usage',
      skipped: { reason: 'This role may not read them.', mend: null },
    });
    await collected(api().db, {
      ...{ connection_id: id, probe: 'pg_sequence_usage', database_name: 'shop', rows: [] },
      hidden: {
        cause: 'missing_grant',
        note: 'It may not read 2 sequences.',
        mend: '-- on the primary of this standby:\ngrant select;',
      },
    });
    const { items, counts, total } = await ask(`?connection_id=${id}`);
    const reasons = new Map(items.map(({ kind, reason }) => [kind, reason]));
    expect(reasons.get('disk')).toBe(
      'Not enough data yet: a forecast needs 4 values over 3 days, and there are 2 over 1 day.',
    );
    const sequences = items.filter(({ kind }) => kind === 'sequence');
    expect(sequences.map(({ database_name, reason }) => [database_name, reason])).toEqual([
      [null, 'This role may not read them.'],
      ['shop', 'It may not read 2 sequences. To fix it, run on the primary of this standby: grant select;'],
    ]);
    expect(reasons.get('connections')).toBe('It was not collected yet.');
    expect(items.every(({ state }) => state === 'unknown')).toBe(true);
    expect(counts).toEqual({ runs_out: 0, not_growing: 0, unknown: total });
  });

  it('is what was collected last days ago, and not what a slot was that is gone', async () => {
    const id = await connection();
    const old = Date.now() - 3 * DAY_MS;
    await collectedHistory(
      api().db,
      [4, 3, 2, 1, 0].map((day) => ({
        connection_id: id,
        probe: 'pg_sys_disk_info',
        at: old - day * DAY_MS,
        rows: [volume(50 - day, 40 + day)],
      })),
    );
    const [stale] = await of(id, 'disk');
    expect(stale).toMatchObject({ state: 'unknown', used: null });
    expect(stale?.reason).toMatch(/^Nothing was collected since \d{4}-/);

    const gone = await connection();
    const rows = (day: number): Row[] =>
      day < 5 ? [{ slot_name: 'left', active: false, retained_bytes: day * GIB }] : [];
    await feed(gone, 'pg_replication_slots', each(6, rows));
    expect(await of(gone, 'replication_slot')).toEqual([]);
  });
});

describe('the list', () => {
  it('is soonest first, in pages, of what the caller sees', async () => {
    const [soon, late] = [await connection(), await connection()];
    await feed(
      late,
      'pg_sys_disk_info',
      each(5, (day) => [volume(50 + day, 30 - day)]),
    );
    await feed(
      soon,
      'pg_sys_disk_info',
      each(5, (day) => [volume(50 + 2 * day, 20 - 2 * day)]),
    );
    const scope = `?connection_ids=${late},${soon}&state=runs_out`;
    const all = await ask(scope);
    expect(all.items.map(({ connection_id }) => connection_id)).toEqual([soon, late]);
    const second = await ask(`${scope}&limit=1&offset=1`);
    expect(second.items.map(({ connection_id }) => connection_id)).toEqual([late]);
    expect(second.total).toBe(2);
    const { session } = await makeUser(api().db);
    const { status } = await api().call(`GET /api/v1/runway?connection_id=${soon}`, { token: session });
    expect(status).toBe(403);
  });

  it('takes a few statements, however many servers and kinds there are', async () => {
    const ids = [await connection(), await connection(), await connection()];
    for (const id of ids)
      await feed(
        id,
        'pg_sys_disk_info',
        each(5, (day) => [volume(50 + day, 30 - day)]),
      );
    await ask(`?connection_ids=${ids.join(',')}`);
    const { statements, call, actors } = api();
    statements.reset();
    await keepRunwayOf(statements, ids, Date.now());
    expect(statements.sent.length).toBeLessThanOrEqual(8);
    statements.reset();
    await call(`GET /api/v1/runway?connection_ids=${ids.join(',')}`, { token: actors.owner.session });
    expect(statements.sent.filter((text) => text.includes('runway.'))).toHaveLength(1);
  });

  it('is found in the background, and says of when it is and who waits', async () => {
    const id = await connection();
    const token = api().actors.owner.session;
    const read = async () =>
      Object((await api().call(`GET /api/v1/runway?connection_id=${id}`, { token })).body);
    expect(await read()).toMatchObject({ items: [], waiting: 1, oldest_found_at: null });
    await api().db.run(sql`/* test.watch */
      update matriarch.connections set is_monitored = (id = ${id}) where deleted_at is null`);
    expect(await keepDueRunway(api().db, Date.now())).toBe(1);
    expect(await keepDueRunway(api().db, Date.now())).toBe(0);
    const found = await read();
    expect(found).toMatchObject({ waiting: 0, oldest_found_at: expect.any(String) });
    expect(found.items[0].found_at).toBe(found.oldest_found_at);
    // What a new server has is read bit by bit; later it is a matter of days.
    const minutesLater = (created: string) =>
      api().db.run(sql`/* test.later */
        with made as (update matriarch.runway set made_at = now() - interval '2 minutes' where connection_id = ${id})
        update matriarch.connections set created_at = now() - ${created}::interval where id = ${id}`);
    await minutesLater('10 minutes');
    expect(await keepDueRunway(api().db, Date.now())).toBe(1);
    await minutesLater('20 minutes');
    expect(await keepDueRunway(api().db, Date.now())).toBe(0);
  });
});
