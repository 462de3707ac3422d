// matriarch store copy as a person runs it: into a database that nothing has ever touched, with the URL from a file, a
// pipe or the command line; what is printed, and that the URL's password is not.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig } from '../kernel/config.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { runMaintenance } from '../store/upkeep/maintenance.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { keptRun, SERVER } from '../testing/store/kept-probes.ts';
import { type Storing, storing } from '../testing/store/storing.ts';
import { runCli } from './cli.ts';
import { settings } from './settings.ts';

let store: Storing;
let name: string;
let url: string;

async function onSource(text: string): Promise<void> {
  await store.db.withClient((client) => client.query(text));
}

beforeAll(async () => {
  store = await storing();
  await runMaintenance({ db: store.db, probes: [SERVER] });
  const writer = store.writer({ probes: [SERVER] });
  const connection_id = await store.leased();
  writer.add(keptRun(SERVER, { connection_id, at: systemClock.now(), rows: [{ reads: 1 }, { reads: 2 }] }));
  await writer.stop();
  await store.db.run(sql`update matriarch.connection_leases set expires_at = now() - interval '1 minute'`);
  name = `${store.name}_copy`;
  await onSource(`create database ${name}`);
  const target = new URL(store.url.reveal());
  target.pathname = `/${name}`;
  url = target.toString();
});
afterAll(async () => {
  await onSource(`drop database if exists ${name} with (force)`);
  await store.close();
});

async function copy(argv: string[], piped = ''): Promise<{ code: number; out: string }> {
  const lines: string[] = [];
  const io = {
    out: (line: string) => lines.push(line),
    err: (line: string) => lines.push(line),
    interactive: false,
    readSecret: async () => new Secret(piped),
    db: async () => store.db,
    migrate: async () => [],
    clock: systemClock,
    log: silentLog,
    config: () => loadConfig({ settings, argv: [], env: {} }),
  };
  const code = await runCli(io, ['store', 'copy', ...argv]);
  return { code, out: lines.join('\n') };
}

it('copies into an untouched database, and says what differs afterwards', async () => {
  const file = path.join(testDirectory('copy'), 'url');
  writeFileSync(file, `${url}\n`, { mode: 0o600 });
  const first = await copy(['--to-file', file]);
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^Both sides are the same\.$/m) });
  expect(first.out).toMatch(/^metrics\.test_server +\d{4}-\d\d-\d\d +2 +2 +(-?\d+) +\1 +same$/m);
  expect(first.out).not.toContain(url);

  const target = new pg.Client({ connectionString: url });
  await target.connect();
  await target.query('update metrics.test_server set reads = 3 where reads = 2');
  await target.end();
  const again = await copy([], url);
  expect(again.code).toBe(1);
  expect(again.out).toMatch(/^Not the same on both sides: metrics\.test_server, \d{4}-\d\d-\d\d\.$/m);
  expect(again.out).not.toMatch(/^Copied /m);
});

it('says in a sentence what is wrong with the target', async () => {
  expect(await copy(['--to', store.url.reveal()])).toEqual({
    code: 1,
    out: expect.stringContaining('The target is the datastore itself.'),
  });
  expect(await copy(['--to', 'somewhere:hunter2'])).toEqual({
    code: 1,
    out: expect.not.stringContaining('hunter2'),
  });
  const nowhere = new URL(url);
  nowhere.pathname = '/no_such_database';
  expect(await copy(['--to', nowhere.toString()])).toEqual({
    code: 1,
    out: expect.stringContaining('The target cannot be used: there is no such database.'),
  });
  expect((await copy(['--to', url, '--to-file', 'x'])).out).toContain('not both');
  expect((await copy(['--to-file', '/no/such/file'])).out).toContain('does not exist: check the path');
});
