// Writers with a spool on a real datastore that can be taken away from them.
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { type KnownGap, knownGaps } from '../../store/spool/gaps.queries.ts';
import { openSpoolHome, type SpoolHome } from '../../store/spool/home.ts';
import type { WriterOptions } from '../../store/write/writer.ts';
import { keptRun, SERVER, TABLES, tableRow } from './kept-probes.ts';
import { type Storing, storing } from './storing.ts';

export const MIB = 1024 * 1024;

export async function spoolAt(root: string, maxBytes = 64 * MIB): Promise<SpoolHome> {
  const home = await openSpoolHome({ root, maxBytes, minFreeBytes: 0, clock: systemClock, log: silentLog });
  return typeof home === 'string' ? expect.fail(home) : home;
}

export const sample = (id: number, at: number, epoch = 1) =>
  keptRun(SERVER, {
    connection_id: id,
    at,
    epoch,
    rows: [{ kind: 'a', reads: at, load: 1, stats_reset: null }],
  });
export const tick = (id: number, at: number, ins: number) =>
  keptRun(TABLES, { connection_id: id, at, rows: [tableRow(1, { ins })], database_name: 'd' });

/** A process with a spool; `end` stops it in the order in which the program does. */
async function starting(store: Storing, root: string, more: Partial<WriterOptions>) {
  const spool = await spoolAt(root);
  const writer = store.writer({ probes: [SERVER, TABLES], flushMs: 5, spool, ...more });
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= writer.stop().then(() => spool.stop());
    return ending;
  };
  onTestFinished(end);
  return { writer, spool, end };
}

/** Nothing of a batch or of the newest runs can be written until the answer is called. */
async function takeAway(store: Storing): Promise<() => Promise<void>> {
  await store.db.run(sql`alter table matriarch.connection_leases rename to away`);
  let back: Promise<unknown> | undefined;
  const giveBack = async () => {
    back ??= store.db.run(sql`alter table matriarch.away rename to connection_leases`);
    await back;
  };
  onTestFinished(giveBack);
  return giveBack;
}

/** Begins before the tests of a file, and ends after them. */
export function spoolingTests() {
  let store: Storing;
  beforeAll(async () => {
    store = await storing();
  });
  afterAll(() => store.close());
  /** A minute ago. */
  const T = Math.floor(systemClock.now() / 1000) * 1000 - 60_000;
  return {
    T,
    store: () => store,
    starting: (root: string, more: Partial<WriterOptions> = {}) => starting(store, root, more),
    takeAway: () => takeAway(store),
    /** Of a connection's samples, after T. */
    times: async (id: number) =>
      (
        await store.db.rows<{ at: number }>(sql`/* test.times */
          select (extract(epoch from collected_at) * 1000)::bigint as at
          from metrics.test_server where connection_id = ${id} order by 1`)
      ).map(({ at }) => at - T),
    gapsOf: async (id: number) =>
      (await store.db.rows<KnownGap>(knownGaps(100))).filter(({ connection_id }) => connection_id === id),
  };
}
