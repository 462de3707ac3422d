// The datastore frozen under every operation that reads history, after the caller was found: each is in the middle of its own
// reading, or about to begin it. Guards: all of them say in time that the datastore does not answer, and those who were
// waiting to be answered together with others do so as well; all is well again once it is back.

import { expect, it, onTestFinished } from 'vitest';
import { operations } from '../../api/operations.gen.ts';
import { migrate } from '../../datastore/migrate.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database, type Db } from '../../kernel/db.ts';
import { SILENT_AFTER_MS } from '../../kernel/heartbeat.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { iso } from '../../kernel/times.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { syncCatalogs } from '../../testing/servers/template.ts';
import { collectedHistory } from '../../testing/store/collected.ts';

/** What a busy machine may add to a bound that is otherwise held to. */
const BUSY_MS = 20_000;
const now = systemClock.now();

/** What the operations need; whatever else they take is left out. */
const ASKED: Readonly<Record<string, string>> = {
  probe_name: 'pg_stat_database',
  start_time: iso(now - 3_600_000),
  end_time: iso(now),
  at: iso(now - 60_000),
};

/** All reads of the rooms that tell of history, and others that take a window. */
const READS = operations.filter(({ method, tag, query, path }) => {
  const names = Object.keys(Object(query).properties ?? {});
  const isHistory = tag === 'metrics' || tag === 'timeline' || /\/(moment|load|history|context)$/.test(path);
  return method === 'GET' && (isHistory || names.includes('start_time'));
});

function pathsOf(id: number): string[] {
  return READS.flatMap(({ path, query }) => {
    const names = Object.keys(Object(query).properties ?? {});
    const place = path
      .replace('/clusters/{id}', `/clusters/server-${id}`)
      .replace('{queryid}', '17')
      .replace('{question}', 'what_is_wrong')
      .replace('{id}', String(id));
    const named = names.flatMap((name) => {
      const value = name === 'connection_id' ? String(id) : ASKED[name];
      return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
    });
    const one = `${place}?${named.join('&')}`;
    // Twice, so that some wait for the answer of others.
    return names.includes('probe_name') ? [one, one] : [one];
  });
}

/** A datastore that holds every caller who was found, as long as it is told to. */
function holding(db: Database) {
  let held = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const api: Db = {
    rows: db.rows,
    one: db.one,
    run: db.run,
    transaction: (work) => db.transaction(work),
    async maybe<T extends object>(statement: Parameters<Db['maybe']>[0]) {
      const row = await db.maybe<T>(statement);
      if (statement.text.includes('access.authenticate')) {
        held += 1;
        await gate.promise;
      }
      return row;
    },
  };
  return {
    api,
    heldNow: () => held,
    hold() {
      held = 0;
      gate = Promise.withResolvers<void>();
    },
    release: () => gate.resolve(),
  };
}

it('every read of history says in time that the datastore does not answer, and answers once it is back', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const url = new Secret(cluster.url);
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'frozen reads' });
  await openEngine(db);
  const datastore = holding(db);
  const database = { db, url, name: 'postgres', close: () => db.stop() };
  await syncCatalogs(db);
  const test = await startWholeApi({ database, db: datastore.api });
  onTestFinished(async () => {
    cluster.resume();
    datastore.release();
    await test.close();
  });
  const id = test.actors.own_connection;
  const rows = [{ datid: 5, datname: 'shop', numbackends: 3 }];
  await collectedHistory(db, [{ connection_id: id, probe: 'pg_stat_database', rows, at: now - 120_000 }]);
  const paths = pathsOf(id);
  expect(READS.length).toBeGreaterThan(13);
  // Callers of their own, so that each is found by a statement of its own.
  const tokens = await Promise.all(paths.map(() => makeSession(db, test.actors.superuser.user_id)));
  const ask = async (path: string, index: number) => {
    const started = systemClock.monotonic();
    const { status, text } = await test.call(`GET ${path}`, { token: tokens[index] ?? '' });
    return { path, status, text: text.slice(0, 200), ms: systemClock.monotonic() - started };
  };
  const all = async () => (await Promise.all(paths.map(ask))).map(({ path, status }) => ({ path, status }));
  const well = await all();
  expect(well.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
  datastore.hold();
  const asking = Promise.all(paths.map(ask));
  await expect.poll(datastore.heldNow, { timeout: 60_000 }).toBe(paths.length);
  cluster.pause();
  const frozen = systemClock.monotonic();
  datastore.release();
  const answers = await asking;
  expect(systemClock.monotonic() - frozen).toBeLessThan(SILENT_AFTER_MS + BUSY_MS);
  expect(answers.filter(({ status, text }) => status !== 503 || !/datastore/.test(text))).toEqual([]);
  cluster.resume();
  await expect.poll(async () => (await test.call('GET /health')).status, { timeout: 90_000 }).toBe(200);
  expect(await all()).toEqual(well);
}, 180_000);
