import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { UsageError } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { probes } from '../probes/catalog.gen.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { plain } from '../store/layout/engine/plain.ts';
import { ensureTables } from '../store/layout/tables.ts';
import { runMaintenance } from '../store/upkeep/maintenance.ts';
import { keptRun, SERVER, TABLES, tableRow } from '../testing/store/kept-probes.ts';
import { type Storing, storing } from '../testing/store/storing.ts';
import { runCli } from './cli.ts';

let store: Storing;
beforeEach(async () => {
  store = await storing();
});
afterEach(() => store.close());

async function matriarch(...argv: string[]): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const noSettings = () => {
    throw new UsageError('these commands read no settings');
  };
  const code = await runCli(
    {
      out: (line) => out.push(line),
      err: (line) => out.push(line),
      interactive: false,
      readSecret: async () => new Secret(''),
      db: async () => store.db,
      migrate: async () => [],
      clock: systemClock,
      log: silentLog,
      config: noSettings,
    },
    argv,
  );
  return { code, out: out.join('\n') };
}

it('store status and store verify say how the store is doing, and what is wrong', async () => {
  expect(await matriarch('store', 'status')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Never maintained/),
  });
  const made = [...probes, SERVER, TABLES];
  await runMaintenance({ db: store.db, probes: made });
  const id = await store.leased();
  const writer = store.writer({ probes: made });
  const at = systemClock.now();
  writer.add(keptRun(SERVER, { connection_id: id, at, rows: [{ reads: 1 }] }));
  writer.add(keptRun(TABLES, { connection_id: id, at, rows: [tableRow(1)], database_name: 'd' }));
  await writer.flush();
  await writer.stop();
  const status = await matriarch('store', 'status');
  expect(status.out).toMatch(/test_server +samples +[\d.]+ (?:kB|MB) .* 4 +7 d/);
  expect(status.out).toMatch(/^Kept by plain PostgreSQL\.$/m);
  expect(await matriarch('store', 'status', '--json')).toMatchObject({
    out: expect.stringMatching(/"engine": "plain".*"bytes_per_day": null/s),
  });
  expect(await matriarch('store', 'verify')).toEqual({
    code: 0,
    out: expect.stringMatching(/^The store is in order \(\d+ checks\)\.$/),
  });

  for (const day of await plain.partitions(store.db, ['test_server']))
    if (day.day > at) await plain.dropPartition(store.db, day);
  await store.db.run(sql`delete from metrics.objects`);
  const broken = await matriarch('store', 'verify');
  expect(broken.code).toBe(1);
  expect(broken.out).toMatch(/test_server: days ahead +2 of the next two days/);
  expect(broken.out).toMatch(/test_tables__ticks: names +1 objects are not in the dictionary/);
});

it('store export writes raw and packed rows alike', async () => {
  const [database, tables] = ['pg_database', 'pg_stat_all_tables'].map((name) =>
    probes.find((one) => one.name === name),
  );
  if (!database || !tables) throw new Error('no such probes');
  const id = await store.leased();
  const own = [database, tables];
  const writer = store.writer({ probes: own });
  const begin = Math.floor(systemClock.now() / 3_600_000) * 3_600_000 - 8 * 3_600_000;
  const row = (n: number) => ({ relid: 7, schemaname: 'a,"b"', relname: 't', n_tup_ins: 10 * n });
  for (let n = 0; n < 90; n += 1) {
    const at = begin + n * 300_000;
    writer.add(keptRun(tables, { connection_id: id, at, rows: [row(n)], database_name: 'shop' }));
  }
  await writer.flush();
  await writer.stop();
  const { layouts } = await ensureTables(store.db, [tables]);
  const ask = ['store', 'export', 'pg_stat_all_tables', '--connection', String(id), '--from'] as const;
  const all = async () => matriarch(...ask, new Date(begin).toISOString(), '--format', 'ndjson');
  const raw = await all();
  const packed = await runCompaction({ db: store.db, layouts: [...layouts.values()] });
  expect(packed.rows).toBeGreaterThan(40);
  expect(await all()).toEqual(raw);
  const lines = raw.out.split('\n').map((text) => JSON.parse(text));
  expect(lines.filter(({ keyframe }) => !keyframe)).toHaveLength(89);
  expect(lines[0]).toMatchObject({ connection_id: id, database_name: 'shop', relname: 't', keyframe: true });
  expect(lines.at(-1)).toMatchObject({ collected_at: expect.stringMatching(/000000Z$/), n_tup_ins: 10 });
  const part = new Date(begin + 3_600_000).toISOString();
  const csv = await matriarch(...ask, part, '--to', new Date(begin + 3_900_000).toISOString());
  const [head, first, ...more] = csv.out.split('\n');
  expect(head).toMatch(/^connection_id,database_name,collected_at,since,keyframe,relid,/);
  expect(first).toContain(',"a,""b""",');
  expect(more.length).toBeLessThanOrEqual(1);
  await expect(matriarch('store', 'export', 'pg_nothing')).resolves.toMatchObject({
    code: 1,
    out: expect.stringMatching(/no probe "pg_nothing"; choose one of pg_/),
  });
  await expect(matriarch(...ask, 'yesterday')).resolves.toMatchObject({
    code: 1,
    out: expect.stringMatching(/Give --from as a time/),
  });
});

it('store compact packs what is closed, and store forecast says what the disk has to hold', async () => {
  const id = await store.leased();
  const writer = store.writer({ probes: [SERVER] });
  const begin = systemClock.now() - 6 * 3_600_000;
  for (let minute = 0; minute < 120; minute += 1)
    writer.add(
      keptRun(SERVER, { connection_id: id, at: begin + minute * 60_000, rows: [{ reads: minute }] }),
    );
  await writer.flush();
  await writer.stop();
  // The probe of this test is in no catalog; its hours are packed by the job's own function.
  const { layouts } = await ensureTables(store.db, [SERVER]);
  expect(await runCompaction({ db: store.db, layouts: [...layouts.values()] })).toMatchObject({ rows: 120 });
  const compacted = await matriarch('store', 'compact');
  expect(compacted).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Packed 0 hours with 0 rows.*Before .*, now /s),
  });
  expect(await matriarch('store', 'compact', '--json')).toMatchObject({
    out: expect.stringMatching(/"after_bytes": \d+/),
  });
  const forecast = await matriarch('store', 'forecast');
  expect(forecast.code).toBe(0);
  expect(forecast.out).toMatch(/test_server +[\d.]+ (?:kB|MB) +/);
  expect(forecast.out).toMatch(/test_server .* +not known yet +not known yet +not known yet/);
  expect(forecast.out).toMatch(/^all +[\d.]+ (?:kB|MB) +not known yet/m);
  expect(forecast.out).toMatch(/^Not known yet, needs a whole day \(UTC\); so far [\d.]+ (?:kB|MB)\.$/m);
  expect(await matriarch('store', 'forecast', '--json')).toMatchObject({
    out: expect.stringMatching(/"in_365_days_bytes"/),
  });
});
