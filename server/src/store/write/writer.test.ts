import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { keptRun, TABLES } from '../../testing/store/kept-probes.ts';
import { type FactRow, factHistory } from '../../testing/store/reads.queries.ts';
import { factsOf, snapshotsOf } from '../../testing/store/reads.ts';
import { items, rowsOf, run, type Storing, storing, T0 } from '../../testing/store/storing.ts';
import type { ProbeRun } from '../layout/types.ts';

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

describe('snapshots', () => {
  it('keep rows, outcome and cost of the newest run', async () => {
    const id = await store.leased();
    await store.write(run(id, 0, rowsOf(0, [{ a: 1, b: 'x', c: null }])));
    expect(await snapshotsOf(store.db, id)).toEqual([
      {
        probe: 'p',
        database_name: '',
        attempted_at: '2026-01-01T00:00:00.000Z',
        collected_at: '2026-01-01T00:00:00.000Z',
        took_ms: 2.5,
        outcome: 'ran',
        cause: null,
        reason: null,
        mend: null,
        rows: [{ a: 1, b: 'x', c: null }],
        row_count: 1,
      },
    ]);
  });

  it('an older attempt never replaces a newer one', async () => {
    const id = await store.leased();
    await store.write(run(id, 100, rowsOf(100, [{ a: 2 }])));
    await store.write(run(id, 50, rowsOf(50, [{ a: 1 }])));
    expect((await snapshotsOf(store.db, id))[0]?.rows).toEqual([{ a: 2 }]);
  });

  it('rows that say the same again are not written again, also after an attempt that failed', async () => {
    const id = await store.leased();
    await store.write(run(id, 0, rowsOf(0, [{ a: 1 }])));
    // Whoever writes the rows anew overwrites the mark.
    await store.db.run(sql`
      update metrics.current_snapshots set rows = '["mark"]' where connection_id = ${id}`);
    await store.write(run(id, 10, rowsOf(10, [{ a: 1 }])));
    await store.write(run(id, 20, { kind: 'failed', reason: 'It broke.' }));
    await store.write(run(id, 30, rowsOf(30, [{ a: 1 }])));
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({
      rows: ['mark'],
      row_count: 1,
      outcome: 'ran',
      collected_at: '2026-01-01T00:00:00.030Z',
    });
    await store.write(run(id, 40, rowsOf(40, [{ a: 2 }])));
    expect((await snapshotsOf(store.db, id))[0]?.rows).toEqual([{ a: 2 }]);
    await store.write(run(id, 50, rowsOf(50, [])));
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({ rows: [], row_count: 0 });
  });

  it('a failed or skipped attempt keeps the last good rows and their time', async () => {
    const id = await store.leased();
    await store.write(run(id, 0, rowsOf(0, [{ a: 1 }])));
    await store.write(run(id, 10, { kind: 'failed', reason: 'It broke.' }));
    await store.write(
      run(id, 20, { kind: 'skipped', reason: 'Not allowed.', mend: 'grant …;', cause: 'missing_grant' }),
    );
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({
      outcome: 'skipped',
      cause: 'missing_grant',
      reason: 'Not allowed.',
      mend: 'grant …;',
      attempted_at: '2026-01-01T00:00:00.020Z',
      collected_at: '2026-01-01T00:00:00.000Z',
      rows: [{ a: 1 }],
    });
  });

  it('of a clock that was set back replace those that lie in the future', async () => {
    const id = await store.leased();
    const future = Date.now() + 86_400_000 - T0;
    await store.write(run(id, future, rowsOf(future, [{ a: 'ahead' }])));
    await store.write(run(id, 0, rowsOf(0, [{ a: 'right' }])));
    expect((await snapshotsOf(store.db, id))[0]?.rows).toEqual([{ a: 'right' }]);
  });
});

describe('fencing', () => {
  it('writes nothing under an epoch that has passed, and says so', async () => {
    const id = await store.leased(7);
    const fenced: unknown[] = [];
    const one = store.writer({ onFenced: (lease) => fenced.push(lease) });
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
    const [gone, mine] = [await store.leased(2), await store.leased()];
    await store.write(run(gone, 0, rowsOf(0, [])), run(mine, 0, rowsOf(0, [{ a: 1 }])));
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await snapshotsOf(store.db, mine)).toHaveLength(1);
  });

  it('waits for a lease that is changing hands, and then writes nothing', async () => {
    const id = await store.leased();
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const takeover = store.db.transaction(async (db) => {
      await db.run(sql`update matriarch.connection_leases set epoch = 2 where connection_id = ${id}`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const writing = store.write(run(id, 0, items(0, [{ name: 'n' }])));
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
    const id = await store.leased();
    const [a, b] = [
      { name: 'a', setting: '1' },
      { name: 'b', setting: '2' },
    ];
    await store.write(run(id, 0, items(0, [a, b])));
    const before = await allFacts(id);
    await store.write(run(id, 60_000, items(60_000, [b, a])));
    expect(await allFacts(id)).toEqual(before);
    expect((await snapshotsOf(store.db, id))[0]).toMatchObject({
      rows: null,
      row_count: 2,
      collected_at: '2026-01-01T00:01:00.000Z',
    });
  });

  it('a change closes and opens only what changed, was added or removed', async () => {
    const id = await store.leased();
    const first = [
      { name: 'stays', setting: '1' },
      { name: 'changes', setting: 'old' },
      { name: 'goes', setting: 'x' },
    ];
    await store.write(run(id, 0, items(0, first)));
    const second = [
      { name: 'comes', setting: 'y' },
      { name: 'changes', setting: 'new' },
      { name: 'stays', setting: '1' },
    ];
    await store.write(run(id, 1000, items(1000, second)));
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

    await store.write(run(id, 2000, items(2000, first)));
    expect((await factsOf(store.db, { connection_id: id, probe: 'p' })).map((row) => row.item_key)).toEqual([
      'changes',
      'goes',
      'stays',
    ]);
    expect(await history(id, 'changes')).toHaveLength(3);
  });

  it('stays in order when the clock goes back', async () => {
    const id = await store.leased();
    const ahead = Date.now() + 3_600_000 - T0;
    await store.write(run(id, ahead, items(ahead, [{ name: 'a', setting: '1' }])));
    await store.write(run(id, 0, items(0, [{ name: 'a', setting: '2' }])));
    await store.write(run(id, 1, items(1, [{ name: 'a', setting: '3' }])));
    const rows = await history(id, 'a');
    expect(rows.map((row) => row.value.setting)).toEqual(['1', '2', '3']);
    expect(rows.filter((row) => row.valid_to === null)).toHaveLength(1);
  });

  it('written again after an unknown outcome changes nothing', async () => {
    const id = await store.leased();
    const same = run(id, 0, items(0, [{ name: 'a' }]));
    await store.write(same);
    const before = await allFacts(id);
    await store.write(same);
    expect(await allFacts(id)).toEqual(before);
  });

  it('of databases that no longer exist are closed, and come back when they do', async () => {
    const id = await store.leased();
    const inDatabase = (at: number, database_name: string): ProbeRun => ({
      ...run(id, at, items(at, [{ name: 'a' }])),
      database_name,
    });
    await store.write(
      inDatabase(0, 'kept'),
      inDatabase(0, `drop"ped\u202e`),
      run(id, 0, rowsOf(0, [{ a: 1 }])),
    );
    const one = store.writer();
    one.roster({ connection_id: id, epoch: 1, at: T0 + 10, databases: ['kept', 'new'] });
    await one.stop();
    const current = async () =>
      (await factsOf(store.db, { connection_id: id, probe: 'p' })).map((row) => row.database_name);
    expect(await current()).toEqual(['kept']);
    expect((await snapshotsOf(store.db, id)).map((row) => row.database_name)).toEqual(['', 'kept']);
    await store.write(inDatabase(20, `drop"ped\u202e`));
    expect(await current()).toEqual([`drop"ped\u202e`, 'kept']);
  });
});

describe('what waits of a database that no longer exists', () => {
  const FAST = { ...TABLES, name: 'test_fast', intervalSeconds: 1 };
  const rows = [{ relid: 1, relname: 't', n_tup_ins: 1, seq_scan: 0, table_size: 1, last_vacuum: null }];
  const fast = (connection_id: number, at: number, database_name: string) =>
    keptRun(FAST, { connection_id, at: T0 + at, rows, database_name });
  const databasesOf = async (id: number) => (await snapshotsOf(store.db, id)).map((row) => row.database_name);

  it('is not written again once its rows are gone', async () => {
    const id = await store.leased();
    const one = store.writer({ probes: [FAST] });
    for (const name of ['kept', 'dropped']) one.add(fast(id, 0, name));
    await one.flush();
    expect(await databasesOf(id)).toEqual(['dropped', 'kept']);
    for (const name of ['kept', 'dropped']) one.add(fast(id, 1000, name));
    one.add({ ...run(id, 1000, rowsOf(1000, [{ a: 1 }])), database_name: 'dropped' });
    one.roster({ connection_id: id, epoch: 1, at: T0 + 1500, databases: ['kept'] });
    await one.flush();
    expect(await databasesOf(id)).toEqual(['kept']);
    one.add(fast(id, 2000, 'dropped'));
    one.roster({ connection_id: id, epoch: 1, at: T0 + 2500, databases: ['dropped', 'kept'] });
    one.add(fast(id, 3000, 'dropped'));
    await one.stop();
    expect(await databasesOf(id)).toEqual(['dropped', 'kept']);
  });
});
