import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StatementLedger, writeLedger } from '../../estate/connections/statement-ledger.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database, type Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { keptRun, SERVER } from '../../testing/store/kept-probes.ts';
import { factsOf, snapshotsOf } from '../../testing/store/reads.ts';
import { items, rowsOf, run, type Storing, storing, T0 } from '../../testing/store/storing.ts';
import { openEngine } from '../layout/engine/open.ts';
import { openSpoolHome } from '../spool/home.ts';
import { purgeDeleted } from '../upkeep/purge.ts';

/** Says in which order facts, current rows and samples are written. */
class Watched extends Database {
  readonly seen: ('facts' | 'current' | 'samples')[] = [];
  /** Called when samples are about to be written. */
  onSamples = () => {};

  override readonly rows: Db['rows'] = (statement) => {
    if (statement.text.includes('store.flush')) this.seen.push('current');
    return store.db.rows(statement);
  };

  override readonly run: Db['run'] = (statement) => {
    if (statement.text.includes('store.flush')) this.seen.push('facts');
    return store.db.run(statement);
  };

  override withClient: Database['withClient'] = (work, withinMs) => {
    this.seen.push('samples');
    this.onSamples();
    return store.db.withClient(work, withinMs);
  };
}

let store: Storing;
beforeAll(async () => {
  store = await storing();
});
afterAll(() => store.close());

describe('the writer', () => {
  it('writes many servers in one statement', async () => {
    const ids = [];
    for (let index = 0; index < 40; index += 1) ids.push(await store.leased());
    const one = store.writer();
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
    const id = await store.leased();
    await store.db.run(sql`alter table metrics.current_snapshots rename to away`);
    const one = store.writer({ flushMs: 5 });
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

  it('writes current rows between batches of samples, however long those take', async () => {
    const id = await store.leased();
    const db = new Watched({ url: store.url, log: silentLog, applicationName: 'matriarch test', max: 1 });
    onTestFinished(() => db.stop());
    await openEngine(db);
    const one = store.writer({ db, probes: [SERVER], flushMs: 60_000 });
    const since = Date.now() - 60_000;
    const rows = [{ kind: 'all', reads: 1, load: 1, stats_reset: null, flags: null, details: null }];
    for (let n = 0; n < 10_500; n += 1) one.add(keptRun(SERVER, { connection_id: id, at: since + n, rows }));
    db.onSamples = () => {
      db.onSamples = () => {};
      for (let n = 0; n < 500; n += 1) one.add({ ...run(id, 0, rowsOf(0, [{ n }])), probe: `p${n}` });
    };
    await one.flush();
    expect(db.seen).toEqual(['current', 'samples', 'current', 'samples', 'samples']);
    expect(await snapshotsOf(store.db, id)).toHaveLength(501);
    expect(one.stats).toMatchObject({ waiting_runs: 0, waiting_bytes: 0, dropped_runs: 0 });
    await one.stop();
  });

  it('writes versions of facts between batches of samples, too, so that none is given up meanwhile', async () => {
    const id = await store.leased();
    const db = new Watched({ url: store.url, log: silentLog, applicationName: 'matriarch test', max: 1 });
    onTestFinished(() => db.stop());
    await openEngine(db);
    const root = testDirectory('facts');
    const spool = await openSpoolHome({
      root,
      maxBytes: 64 * 1024 ** 2,
      minFreeBytes: 0,
      clock: systemClock,
      log: silentLog,
    });
    if (typeof spool === 'string') throw new Error(spool);
    onTestFinished(() => spool.stop());
    const one = store.writer({ db, probes: [SERVER], flushMs: 60_000, spool });
    const since = Date.now() - 60_000;
    const rows = [{ kind: 'all', reads: 1, load: 1, stats_reset: null, flags: null, details: null }];
    for (let n = 0; n < 10_500; n += 1) one.add(keptRun(SERVER, { connection_id: id, at: since + n, rows }));
    db.onSamples = () => {
      db.onSamples = () => {};
      one.add(run(id, 0, items(0, [{ name: 'a', setting: '1' }])));
    };
    await one.flush();
    expect(db.seen.slice(0, 4)).toEqual(['current', 'samples', 'facts', 'samples']);
    await one.stop();
    expect((await factsOf(store.db, { connection_id: id, probe: 'p' }))[0]?.value.setting).toBe('1');
  });

  it('a run that the datastore refuses does not hold up the others, and shows as failed', async () => {
    const ids = [await store.leased(), await store.leased(), await store.leased()];
    const bad = run(ids[1] ?? 0, 0, rowsOf(0, []));
    const one = store.writer();
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
    const id = await store.leased();
    const one = store.writer();
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
    const [gone, kept] = [await store.leased(), await store.leased()];
    const many = Array.from({ length: 25 }, (_, index) => ({ name: `n${index}` }));
    await store.write(run(gone, 0, items(0, many)), run(kept, 0, items(0, many)), {
      ...run(gone, 0, rowsOf(0, [{}])),
      probe: 'q',
    });
    const ledger = new StatementLedger();
    for (const id of [gone, kept]) {
      ledger.ran(id, '/* probe.p */ select 1', { at: 0, failed: false });
      await store.db.run(sql`/* test.cost */
        insert into matriarch.probe_costs (
          connection_id, probe, since, runs, total_ms, max_ms, rows, interval_seconds
        )
        values (${id}, 'p', now(), 1, 1, 1, 1, 60)`);
    }
    await writeLedger(store.db, ledger);
    const left = () =>
      store.db.one(sql`/* test.left */
        select
          (select array_agg(c.connection_id) from matriarch.probe_costs c) as costs,
          (select array_agg(l.connection_id) from matriarch.statement_ledger l) as ledger`);
    expect(await left()).toEqual({ costs: [gone, kept], ledger: [gone, kept] });
    await store.db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute' where id = ${gone}`);
    const { signal } = new AbortController();
    expect(await purgeDeleted({ db: store.db, signal, slice: 10 })).toBe(0);
    await store.db.run(
      sql`update matriarch.connection_leases set expires_at = now() where connection_id = ${gone}`,
    );
    expect(await purgeDeleted({ db: store.db, signal, slice: 10 })).toBe(27);
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await left()).toEqual({ costs: [kept], ledger: [kept] });
    expect(await factsOf(store.db, { connection_id: kept, probe: 'p' })).toHaveLength(25);
    await store.write(run(gone, 50, rowsOf(50, [{}])));
    expect(await snapshotsOf(store.db, gone)).toEqual([]);
    expect(await purgeDeleted({ db: store.db, signal })).toBe(0);
  });
});
