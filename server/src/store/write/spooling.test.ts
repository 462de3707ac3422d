// The writer with a spool: what was collected survives the datastore's absence and the end of the process, is stored
// once, and what is lost is said. Spools that are full are in spooling.proof.test.ts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { SERVER } from '../../testing/store/kept-probes.ts';
import { type FactRow, factHistory } from '../../testing/store/reads.queries.ts';
import { snapshotsOf } from '../../testing/store/reads.ts';
import { MIB, sample, spoolAt, spoolingTests, tick } from '../../testing/store/spooling.ts';
import { items, run, T0 } from '../../testing/store/storing.ts';
import { HEADER_BYTES } from '../spool/format.ts';
import { openSpoolHome } from '../spool/home.ts';

const SOON = { timeout: 90_000, interval: 20 };
const { T, store, starting, takeAway, times, gapsOf } = spoolingTests();

const increases = (id: number) =>
  store().db.rows(sql`/* test.increases */
    select keyframe, n_tup_ins from metrics.test_tables where connection_id = ${id}
    order by collected_at, keyframe`);

describe('batches', () => {
  it('that wait together are written in one transaction, each under its own number', async () => {
    const id = await store().leased();
    const { writer, spool } = await starting(testDirectory('spool'), { flushMs: 3_600_000 });
    for (const [index, at] of [1, 2, 3].entries()) {
      writer.add(sample(id, T + at));
      await expect.poll(() => spool.batches.stats.appended, SOON).toBe(index + 1);
    }
    const before = writer.stats.statements;
    await writer.flush();
    expect(await times(id)).toEqual([1, 2, 3]);
    const ledger = await store().db.one(sql`/* test.ledger */
      select count(*)::int as batches, count(distinct xmin::text)::int as transactions
      from matriarch.batch_ledger where collector = ${spool.batches.collector}`);
    expect(ledger).toEqual({ batches: 3, transactions: 1 });
    expect(writer.stats.statements - before).toBeLessThan(8);
  });
});

describe('while the datastore is away', () => {
  it('batches lie on the disk and not in memory, and are all stored afterwards, live data first', async () => {
    const id = await store().leased();
    const { writer, spool, end } = await starting(testDirectory('spool'));
    writer.add(sample(id, T));
    await expect.poll(() => writer.stats.waiting_runs, SOON).toBe(0);
    const giveBack = await takeAway();
    for (let n = 1; n <= 20; n += 1) {
      writer.add(sample(id, T + n));
      writer.add(tick(id, T + n, 10 * n));
      await writer.flush();
    }
    // The newest run of each probe alone.
    expect(writer.stats.waiting_runs).toBe(2);
    expect(spool.batches.stats.appended).toBeGreaterThan(20);
    await giveBack();
    await expect.poll(() => times(id), SOON).toHaveLength(21);
    await end();
    expect(await times(id)).toEqual(Array.from({ length: 21 }, (_, n) => n));
    expect(await increases(id)).toEqual([
      { keyframe: true, n_tup_ins: 10 },
      ...Array.from({ length: 19 }, () => ({ keyframe: false, n_tup_ins: 10 })),
    ]);
  });

  it('objects that a replay has named are not asked for again', async () => {
    const id = await store().leased();
    const { writer } = await starting(testDirectory('spool'));
    writer.add(sample(id, T));
    await expect.poll(() => writer.stats.waiting_runs, SOON).toBe(0);
    const giveBack = await takeAway();
    writer.add(tick(id, T + 1, 10));
    await writer.flush();
    await giveBack();
    const stored = async () => (await increases(id)).length;
    await expect.poll(stored, SOON).toBe(1);
    await expect.poll(() => writer.stats.is_behind, SOON).toBe(false);
    const statementsOf = async (at: number, ins: number) => {
      const before = writer.stats.statements;
      writer.add(tick(id, T + at, ins));
      await writer.flush();
      return writer.stats.statements - before;
    };
    const first = await statementsOf(100, 20);
    expect(await stored()).toBe(2);
    expect(first).toBe(await statementsOf(200, 30));
  });

  it('what a process leaves behind is stored by the next one, and leaves no file', async () => {
    const id = await store().leased();
    const root = testDirectory('spool');
    const giveBack = await takeAway();
    const first = await starting(root);
    for (let n = 0; n < 5; n += 1) first.writer.add(sample(id, T + n));
    await first.end();
    await giveBack();
    const second = await starting(root);
    second.writer.add(sample(id, T + 100));
    await expect.poll(() => times(id), SOON).toEqual([0, 1, 2, 3, 4, 100]);
    const files = () => readdirSync(path.join(root, '1')).filter((name) => name.endsWith('.spool'));
    // What was left behind goes once it has been read to its end, which comes after its last row is stored.
    await expect.poll(files, SOON).not.toContain('1-1.spool');
    await second.end();
    expect(files()).toEqual([]);
  });

  it('every change of facts is kept in order, also over the end of a process', async () => {
    const id = await store().leased();
    const root = testDirectory('spool');
    const setting = (at: number, value: string) =>
      run(id, at, items(at, [{ name: 'work_mem', setting: value }]));
    const giveBack = await takeAway();
    const first = await starting(root);
    for (const [index, value] of ['4MB', '4MB', '64MB', '4MB'].entries())
      first.writer.add(setting(index * 1000, value));
    expect(first.writer.stats.waiting_runs).toBe(1);
    await first.end();
    const second = await starting(root);
    second.writer.add(setting(10_000, '8MB'));
    await giveBack();
    await expect.poll(async () => (await snapshotsOf(store().db, id)).length, SOON).toBe(1);
    await second.end();
    const item = { connection_id: id, probe: 'p', database_name: '', item_key: 'work_mem' };
    const history = await store().db.rows<FactRow>(factHistory(item));
    expect(history.map(({ value, valid_from }) => [value.setting, Date.parse(valid_from) - T0])).toEqual([
      ['4MB', 0],
      ['64MB', 2000],
      ['4MB', 3000],
      ['8MB', 10_000],
    ]);
  });
});

describe('a lease that has passed on', () => {
  const takenAt = (id: number, epoch: number, at: number) => sql`/* test.taken */
    insert into matriarch.lease_epochs (connection_id, epoch, taken_at)
    values (${id}, ${epoch}, ${new Date(at).toISOString()}::timestamptz)
    on conflict (connection_id, epoch) do update set taken_at = excluded.taken_at`;

  it('does not make what was collected before false: only what came after is refused', async () => {
    const id = await store().leased(4);
    for (const [epoch, at] of [
      [2, T + 50],
      [3, T + 60],
      [4, T + 70],
    ] as const)
      await store().db.run(takenAt(id, epoch, at));
    const fenced: number[] = [];
    const { writer, end } = await starting(testDirectory('spool'), {
      onFenced: ({ epoch }) => fenced.push(epoch),
    });
    // Under the first epoch, before and after the second was taken; so it goes on; the last is in force.
    for (const [at, epoch] of [
      [49, 1],
      [51, 1],
      [59, 2],
      [61, 2],
      [69, 3],
      [71, 3],
      [90, 4],
    ] as const)
      writer.add(sample(id, T + at, epoch));
    await end();
    expect(await times(id)).toEqual([49, 59, 69, 90]);
    expect(new Set(fenced)).toEqual(new Set([1, 2, 3]));
  });

  it('is the same for what is replayed', async () => {
    const id = await store().leased(1);
    const root = testDirectory('spool');
    const giveBack = await takeAway();
    const first = await starting(root);
    first.writer.add(sample(id, T + 10));
    first.writer.add(sample(id, T + 30));
    await first.end();
    await giveBack();
    await store().db.run(sql`/* test.pass */
      update matriarch.connection_leases set epoch = 2 where connection_id = ${id}`);
    await store().db.run(takenAt(id, 2, T + 20));
    const { writer, end } = await starting(root);
    writer.add(sample(id, T + 40, 2));
    await expect.poll(() => times(id), SOON).toEqual([10, 40]);
    await end();
    expect(await times(id)).toEqual([10, 40]);
  });
});

describe('what cannot be kept', () => {
  it('without a spool is given up when memory is full, and that is a known gap', async () => {
    const id = await store().leased();
    const giveBack = await takeAway();
    const writer = store().writer({
      probes: [SERVER],
      flushMs: 5,
      limits: { maxRuns: 100, maxBytes: 20_000 },
    });
    for (let n = 0; n < 200; n += 1) writer.add(sample(id, T + n));
    await giveBack();
    await writer.flush();
    await writer.stop();
    const kept = await times(id);
    expect(kept.length).toBeLessThan(200);
    const [first = 0] = kept;
    expect(kept).toEqual(Array.from({ length: 200 - first }, (_, n) => first + n));
    expect(await gapsOf(id)).toMatchObject([{ reason: 'memory' }]);
    const [gap] = await gapsOf(id);
    expect([gap?.began_at, gap?.ended_at]).toEqual(
      [T, T + first - 1].map((at) => new Date(at).toISOString()),
    );
  });

  it('since the disk has damaged it, is a known gap once the rest is replayed', async () => {
    const id = await store().leased();
    const root = testDirectory('spool');
    // A damaged record is one of each connection that was there by then.
    const since = systemClock.now() - T;
    const giveBack = await takeAway();
    const first = await starting(root);
    for (let n = 0; n < 3; n += 1) {
      first.writer.add(sample(id, T + since + n));
      await first.writer.flush();
    }
    await first.end();
    const directory = path.join(root, '1');
    const [file = ''] = readdirSync(directory).filter((name) => name.endsWith('.spool'));
    const bytes = readFileSync(path.join(directory, file));
    bytes.writeUInt8(bytes.readUInt8(HEADER_BYTES + 20) ^ 1, HEADER_BYTES + 20);
    writeFileSync(path.join(directory, file), bytes);
    await giveBack();
    const { spool } = await starting(root);
    await expect.poll(() => times(id), SOON).toEqual([since + 1, since + 2]);
    await expect.poll(() => gapsOf(id), SOON).toMatchObject([{ reason: 'damaged' }]);
    await expect.poll(() => spool.batches.stats.gaps, SOON).toBe(0);
  });

  it('is no reason not to start: where no spool can be, a sentence says why', async () => {
    const file = path.join(testDirectory('spool'), 'file');
    writeFileSync(file, '');
    const problem = await openSpoolHome({
      root: path.join(file, 'spool'),
      maxBytes: MIB,
      minFreeBytes: 0,
      clock: systemClock,
      log: silentLog,
    });
    expect(problem).toMatch(
      /^There is no spool: .* cannot be written \(.*\)\. What waits .* in memory alone/,
    );
  });

  it('two processes in one place have a spool each', async () => {
    const root = testDirectory('spool');
    const [one, two] = [await spoolAt(root), await spoolAt(root)];
    expect(readdirSync(root).sort()).toEqual(['1', '2']);
    expect(one.batches.collector).not.toBe(two.batches.collector);
    await one.stop();
    const next = await spoolAt(root);
    expect([next.batches.collector, next.batches.epoch]).toEqual([one.batches.collector, 2]);
    await Promise.all([two.stop(), next.stop()]);
  });
});
