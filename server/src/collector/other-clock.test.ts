// Servers whose clocks are an hour off: what is kept of them is as old as it is, and the coverage says whose clock is wrong.
import { expect, it, onTestFinished } from 'vitest';
import { Facts } from '../insight/checks/facts.ts';
import { beganThere, secondsSince } from '../insight/checks/sessions.ts';
import { sql } from '../kernel/sql.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { readConnectionUrl } from '../monitored/connection-url.ts';
import { newHouse, pollMoved } from '../testing/collecting-tests.ts';
import { openClient } from '../testing/servers/client.ts';
import { startForward } from '../testing/servers/forward.ts';
import { clockAhead } from '../testing/servers/other-clock.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { directly } from '../testing/servers/probing.ts';
import { readServerOnce } from './read-once.ts';

const words = (way: string) =>
  new RegExp(
    `^The clock of the server is (?:1 h|59 min 50 s) ${way} the clock of the datastore\\. Ages are shown without`,
  );
const SCENES = [
  { ahead_ms: 0, told: /^$/ },
  { ahead_ms: -HOUR_MS, told: words('behind') },
  { ahead_ms: HOUR_MS, told: words('ahead of') },
] as const;

/** What the machine and the way take. */
const NEAR_MS = 5000;
const isNear = (one: number, other: number) => Math.abs(one - other) < NEAR_MS;

it('what is kept of a server is as old as it is, whatever its clock says', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  await cluster.query('create table seen (i int)');
  await cluster.query('analyze seen');
  const client = await openClient(cluster, 'idles');
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query('select 1');
  const timeOf = async (text: string) => {
    const [row] = await directly(cluster, text);
    return row?.at instanceof Date ? row.at.getTime() : Number.NaN;
  };
  const began = await timeOf(`select xact_start as at from pg_stat_activity where pid = ${client.pid}`);
  const analyzed = await timeOf(`select last_analyze as at from pg_stat_user_tables where relname = 'seen'`);
  const house = await newHouse();
  const scenes = await Promise.all(
    SCENES.map(async (scene) => {
      const way = await startForward(cluster, () => clockAhead(scene.ahead_ms));
      onTestFinished(() => way.stop());
      return { ...scene, way, id: await house.connect({ ...cluster, host: way.host, port: way.port }) };
    }),
  );
  house.start();
  for (const { id, told, way, ahead_ms } of scenes) {
    await pollMoved(house, async () => (await house.snapshot(id, 'pg_connectivity'))?.reason ?? '').toMatch(
      told,
    );
    const kept = () =>
      house.db.rows<{ started: number; analyzed: number }>(sql`/* test.kept_times */
        select
          extract(epoch from a.xact_start)::float8 * 1000 as started, extract(epoch from t.last_analyze)::float8 * 1000 as analyzed
        from metrics.pg_stat_activity a
        join metrics.pg_stat_all_tables t on t.connection_id = a.connection_id and t.relname = 'seen'
        where a.connection_id = ${id} and a.pid = ${client.pid}
        limit 1`);
    await pollMoved(house, async () => (await kept()).length).toBe(1);
    const [row] = await kept();
    expect(row).toSatisfy((one) => isNear(one.started, began) && isNear(one.analyzed, analyzed));
    const url = `postgres://${cluster.superuser}:${cluster.password}@${way.host}:${way.port}/postgres?sslmode=disable`;
    const { known } = await readServerOnce(readConnectionUrl(url), {
      seconds: 0,
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    const facts = new Facts(known);
    const idle = facts.rows('pg_stat_activity').find((one) => one.number('pid') === client.pid);
    if (!idle) throw new Error('the session is not there');
    expect(secondsSince(idle, 'state_change', facts.now) * 1000).toSatisfy((ms) =>
      isNear(ms, facts.now - began),
    );
    // What ends it is compared there, with that clock.
    expect(beganThere(idle, facts)).toSatisfy((at) => isNear(at, began + ahead_ms));
  }
}, 120_000);
