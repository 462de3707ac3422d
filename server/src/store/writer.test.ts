import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../testing/database.ts';
import { purgeDeleted } from './purge.ts';
import { type FactRow, factHistory } from './reads.queries.ts';
import { factsOf, snapshotsOf } from './reads.ts';
import type { Outcome, ProbeRun, Row } from './types.ts';
import { MetricsWriter, type WriterOptions } from './writer.ts';

let store: TestDatabase;
beforeAll(async () => {
  store = await testDatabase();
  await store.db.run(sql`insert into matriarch.users (username) values ('owner')`);
});
afterAll(() => store.close());

let nextId = 0;
async function leased(epoch = 1): Promise<number> {
  nextId += 1;
  await store.db.run(sql`
    insert into matriarch.connections (id, owner_id, name, host, port, database_name, username, is_monitored)
    values (${nextId}, 1, ${`c${nextId}`}, 'h', 5432, 'd', 'u', true)`);
  await store.db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, epoch, expires_at)
    values (${nextId}, 'me', ${epoch}, now() + interval '15 seconds')`);
  return nextId;
}

const T0 = Date.parse('2026-01-01T00:00:00Z');
const rowsOf = (at: number, rows: Row[]): Outcome => ({
  kind: 'ran',
  collected_at: T0 + at,
  rows,
  history_by: undefined,
});
const items = (at: number, rows: Row[], history_by = ['name']): Outcome => ({
  kind: 'ran',
  collected_at: T0 + at,
  rows,
  history_by,
});
function run(connection_id: number, at: number, outcome: Outcome): ProbeRun {
  const attempted_at = T0 + at;
  return { connection_id, epoch: 1, probe: 'p', database_name: '', attempted_at, took_ms: 2.5, outcome };
}

function writer(more: Partial<WriterOptions> = {}): MetricsWriter {
  return new MetricsWriter({ db: store.db, log: silentLog, clock: systemClock, ...more });
}
async function write(...runs: ProbeRun[]): Promise<void> {
  const one = writer();
  for (const each of runs) one.add(each);
  await one.stop();
}

describe('snapshots', () => {
  it('keep rows, outcome and cost of the newest run', async () => {
    const id = await leased();
    await write(run(id, 0, rowsOf(0, [{ a: 1, b: 'x', c: null }])));
    expect(await snapshotsOf(store.db, id)).toEqual([
      {
        probe: 'p',
        database_name: '',
        attempted_at: '2026-01-01T00:00:00.000Z',
        collected_at: '2026-01-01T00:00:00.000Z',
        took_ms: 2.5,
        outcome: 'ran',
        reason: null,
        mend: null,
        rows: [{ a: 1, b: 'x', c: null }],
        row_count: 1,
      },
    ]);
  });

  it('an older attempt never replaces a newer one', async () => {
    const id = await leased();
    await write(run(id, 100, rowsOf(100, [{ a: 2 }])));
    await write(run(id, 50, rowsOf(50, [{ a: 1 }])));
    expect((await snapshotsOf(store.db, id))[0]?.rows).toEqual([{ a: 2 }]);
  });

  it('a failed or skipped attempt keeps the last good rows and their time', async () => {
    const id = await leased();
    await write(run(id, 0, rowsOf(0, [{ a: 1 }])));
    await write(run(id, 10, { kind: 'failed', reason: 'It broke.' }));
    await write(run(id, 20, { kind: 'skipped', reason: 'Not allowed.', mend: 'grant …;' }));
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({
      outcome: 'skipped',
      reason: 'Not allowed.',
      mend: 'grant …;',
      attempted_at: '2026-01-01T00:00:00.020Z',
      collected_at: '2026-01-01T00:00:00.000Z',
      rows: [{ a: 1 }],
    });
  });

  it('of a clock that was set back replace those that lie in the future', async () => {
    const id = await leased();
    const future = Date.now() + 86_400_000 - T0;
    await write(run(id, future, rowsOf(future, [{ a: 'ahead' }])));
    await write(run(id, 0, rowsOf(0, [{ a: 'right' }])));
    expect((await snapshotsOf(store.db, id))[0]?.rows).toEqual([{ a: 'right' }]);
  });
});

describe('fencing', () => {
  it('writes nothing under an epoch that has passed, and says so', async () => {
    const id = await leased(7);
    const fenced: unknown[] = [];
    const one = writer({ onFenced: (lease) => fenced.push(lease) });
    one.add({ ...run(id, 0, rowsOf(0, [{ a: 1 }])), epoch: 6 });
    one.add({ ...run(id, 0, items(0, [{ name: 'n' }])), epoch: 6, probe: 'q' });
    one.report({ connection_id: id, epoch: 6, at: T0, error: 'No.', consecutive_failures: 1 });
    one.roster({ connection_id: id, epoch: 6, at: T0, databases: [] });
    await one.stop();
    expect(fenced).toEqual([{ connection_id: id, epoch: 6 }]);
    expect(await snapshotsOf(store.db, id)).toEqual([]);
    expect(await factsOf(store.db, { connection_id: id, probe: 'q' })).toEqual([]);
    const { states } = await store.db.one<{ states: number }>(
      sql`select count(*) as states from matriarch.connection_states where connection_id = ${id}`,
    );
    expect(states).toBe(0);
  });

  it('does not stop others in the same flush', async () => {
    const [gone, mine] = [await leased(2), await leased()];
    await write(run(gone, 0, rowsOf(0, [])), run(mine, 0, rowsOf(0, [{ a: 1 }])));
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await snapshotsOf(store.db, mine)).toHaveLength(1);
  });

  it('waits for a lease that is changing hands, and then writes nothing', async () => {
    const id = await leased();
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const takeover = store.db.transaction(async (db) => {
      await db.run(sql`update matriarch.connection_leases set epoch = 2 where connection_id = ${id}`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const writing = write(run(id, 0, items(0, [{ name: 'n' }])));
    release.resolve();
    await Promise.all([takeover, writing]);
    expect(await snapshotsOf(store.db, id)).toEqual([]);
    expect(await factsOf(store.db, { connection_id: id, probe: 'p' })).toEqual([]);
  });
});

describe('change-tracked items', () => {
  const history = (id: number, item_key: string) =>
    store.db.rows<FactRow>(factHistory({ connection_id: id, probe: 'p', database_name: '', item_key }));
  const allFacts = (id: number) =>
    store.db.rows<{ item_key: string; xmin: string }>(
      sql`select item_key, xmin::text as xmin from metrics.facts where connection_id = ${id} order by 1, valid_from`,
    );

  it('an unchanged set touches no fact, whatever the order of its rows', async () => {
    const id = await leased();
    const [a, b] = [
      { name: 'a', setting: '1' },
      { name: 'b', setting: '2' },
    ];
    await write(run(id, 0, items(0, [a, b])));
    const before = await allFacts(id);
    await write(run(id, 60_000, items(60_000, [b, a])));
    expect(await allFacts(id)).toEqual(before);
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({
      rows: null,
      row_count: 2,
      collected_at: '2026-01-01T00:01:00.000Z',
    });
  });

  it('a change closes and opens only what changed, was added or removed', async () => {
    const id = await leased();
    const first = [
      { name: 'stays', setting: '1' },
      { name: 'changes', setting: 'old' },
      { name: 'goes', setting: 'x' },
    ];
    await write(run(id, 0, items(0, first)));
    const second = [
      { name: 'comes', setting: 'y' },
      { name: 'changes', setting: 'new' },
      { name: 'stays', setting: '1' },
    ];
    await write(run(id, 1000, items(1000, second)));
    expect((await allFacts(id)).map((row) => row.item_key)).toEqual([
      'changes',
      'changes',
      'comes',
      'goes',
      'stays',
    ]);
    expect((await factsOf(store.db, { connection_id: id, probe: 'p' })).map((row) => row.value)).toEqual([
      { name: 'changes', setting: 'new' },
      { name: 'comes', setting: 'y' },
      { name: 'stays', setting: '1' },
    ]);
    const [old, current] = await history(id, 'changes');
    expect(old).toMatchObject({ valid_to: '2026-01-01T00:00:01.000Z', value: { setting: 'old' } });
    expect(current).toMatchObject({ valid_from: '2026-01-01T00:00:01.000Z', valid_to: null });
    expect((await history(id, 'goes'))[0]?.valid_to).toBe('2026-01-01T00:00:01.000Z');

    await write(run(id, 2000, items(2000, first)));
    expect((await factsOf(store.db, { connection_id: id, probe: 'p' })).map((row) => row.item_key)).toEqual([
      'changes',
      'goes',
      'stays',
    ]);
    expect(await history(id, 'changes')).toHaveLength(3);
  });

  it('stays in order when the clock goes back', async () => {
    const id = await leased();
    const ahead = Date.now() + 3_600_000 - T0;
    await write(run(id, ahead, items(ahead, [{ name: 'a', setting: '1' }])));
    await write(run(id, 0, items(0, [{ name: 'a', setting: '2' }])));
    await write(run(id, 1, items(1, [{ name: 'a', setting: '3' }])));
    const rows = await history(id, 'a');
    expect(rows.map((row) => row.value.setting)).toEqual(['1', '2', '3']);
    expect(rows.filter((row) => row.valid_to === null)).toHaveLength(1);
  });

  it('written again after an unknown outcome changes nothing', async () => {
    const id = await leased();
    const same = run(id, 0, items(0, [{ name: 'a' }]));
    await write(same);
    const before = await allFacts(id);
    await write(same);
    expect(await allFacts(id)).toEqual(before);
  });

  it('of databases that no longer exist are closed, and come back when they do', async () => {
    const id = await leased();
    const inDatabase = (at: number, database_name: string): ProbeRun => ({
      ...run(id, at, items(at, [{ name: 'a' }])),
      database_name,
    });
    await write(inDatabase(0, 'kept'), inDatabase(0, `drop"ped\u202e`), run(id, 0, rowsOf(0, [{ a: 1 }])));
    const one = writer();
    one.roster({ connection_id: id, epoch: 1, at: T0 + 10, databases: ['kept', 'new'] });
    await one.stop();
    const current = async () =>
      (await factsOf(store.db, { connection_id: id, probe: 'p' })).map((row) => row.database_name);
    expect(await current()).toEqual(['kept']);
    expect((await snapshotsOf(store.db, id)).map((row) => row.database_name)).toEqual(['', 'kept']);
    await write(inDatabase(20, `drop"ped\u202e`));
    expect(await current()).toEqual([`drop"ped\u202e`, 'kept']);
  });
});

describe('the writer', () => {
  it('writes many servers in one statement', async () => {
    const ids = [];
    for (let index = 0; index < 40; index += 1) ids.push(await leased());
    const one = writer();
    for (const id of ids)
      for (const probe of ['p', 'q', 'r']) one.add({ ...run(id, 0, items(0, [{ name: probe }])), probe });
    await one.stop();
    expect(one.stats).toMatchObject({ statements: 1, waiting_runs: 0 });
    const { count } = await store.db.one<{ count: number }>(
      sql`select count(*) as count from metrics.current_snapshots where connection_id = any (${ids}::integer[])`,
    );
    expect(count).toBe(120);
  });

  it('keeps trying while the datastore cannot take it, and loses nothing that is newest', async () => {
    const id = await leased();
    await store.db.run(sql`alter table metrics.current_snapshots rename to away`);
    const one = writer({ flushMs: 5 });
    one.add(run(id, 0, items(0, [{ name: 'a', setting: '1' }])));
    await expect.poll(() => one.stats.statements).toBeGreaterThan(2);
    one.add(run(id, 10, items(10, [{ name: 'a', setting: '2' }])));
    one.add(run(id, 20, { kind: 'failed', reason: 'gone' }));
    await expect.poll(() => one.stats.waiting_runs).toBe(1);
    await store.db.run(sql`alter table metrics.away rename to current_snapshots`);
    await expect.poll(() => one.stats.waiting_runs, { timeout: 8000 }).toBe(0);
    await one.stop();
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({ outcome: 'failed', reason: 'gone' });
    expect((await factsOf(store.db, { connection_id: id, probe: 'p' }))[0]?.value.setting).toBe('2');
  });

  it('a run that the datastore refuses does not hold up the others, and shows as failed', async () => {
    const ids = [await leased(), await leased(), await leased()];
    const bad = run(ids[1] ?? 0, 0, rowsOf(0, []));
    const one = writer();
    for (const id of ids) one.add(run(id, 0, rowsOf(0, [{ a: 1 }])));
    // A year no timestamp holds stands for anything the checks before it did not foresee.
    one.add({
      ...bad,
      probe: 'bad',
      outcome: { kind: 'ran', collected_at: 8.64e15, rows: [], history_by: undefined },
    });
    await one.stop();
    for (const id of ids)
      expect((await snapshotsOf(store.db, id)).some((row) => row.probe === 'p')).toBe(true);
    expect((await snapshotsOf(store.db, ids[1] ?? 0))[0]).toMatchObject({ probe: 'bad', outcome: 'failed' });
  });

  it('reports connection states, and clears the error on success', async () => {
    const id = await leased();
    const one = writer();
    one.report({
      connection_id: id,
      epoch: 1,
      at: T0,
      error: 'Nothing listens there.',
      consecutive_failures: 3,
    });
    await one.flush();
    const state = () =>
      store.db.one(sql`
        select last_connected_at, last_error_at, connection_error, consecutive_failures
        from matriarch.connection_states where connection_id = ${id}`);
    expect(await state()).toEqual({
      last_connected_at: null,
      last_error_at: '2026-01-01T00:00:00.000Z',
      connection_error: 'Nothing listens there.',
      consecutive_failures: 3,
    });
    one.report({ connection_id: id, epoch: 1, at: T0 + 1000, error: null, consecutive_failures: 0 });
    await one.stop();
    expect(await state()).toEqual({
      last_connected_at: '2026-01-01T00:00:01.000Z',
      last_error_at: '2026-01-01T00:00:00.000Z',
      connection_error: null,
      consecutive_failures: 0,
    });
  });
});

describe('purging deleted connections', () => {
  it('removes everything of theirs in slices, and nothing of others', async () => {
    const [gone, kept] = [await leased(), await leased()];
    const many = Array.from({ length: 25 }, (_, index) => ({ name: `n${index}` }));
    await write(run(gone, 0, items(0, many)), run(kept, 0, items(0, many)), {
      ...run(gone, 0, rowsOf(0, [{}])),
      probe: 'q',
    });
    await store.db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${gone}`);
    const { signal } = new AbortController();
    expect(await purgeDeleted({ db: store.db, signal, slice: 10 })).toBe(0);
    await store.db.run(
      sql`update matriarch.connection_leases set expires_at = now() where connection_id = ${gone}`,
    );
    expect(await purgeDeleted({ db: store.db, signal, slice: 10 })).toBe(27);
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await factsOf(store.db, { connection_id: kept, probe: 'p' })).toHaveLength(25);
    await write(run(gone, 50, rowsOf(50, [{}])));
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await purgeDeleted({ db: store.db, signal })).toBe(0);
  });
});
