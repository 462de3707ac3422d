// What a real server hides from a role without pg_monitor: checks that need it say that they do not know, and why.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { openClient, type TestClient } from '../../testing/servers/client.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../../testing/servers/judging.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { checks } from '../checks/catalog.gen.ts';
import type { Check } from '../checks/types.ts';

const NAMES = new Set([
  'idle_in_transaction',
  'long_transaction',
  'hba_error',
  'hba_trust',
  'hba_weak_method',
  'hba_wide_open',
]);
const ASKED: readonly Check[] = checks.filter(({ name }) => NAMES.has(name));

let server: TestCluster;
let idle: TestClient;
beforeAll(async () => {
  server = await startCluster();
  idle = await openClient(server, 'idle');
  await idle.query('begin');
  await idle.query('select 1');
});
afterAll(async () => {
  await idle?.end();
  await server?.stop();
});

async function readAs(name: string, grants: readonly string[]): Promise<Readings> {
  const password = randomUUID();
  await server.query(`create role ${name} login password '${password}'`);
  for (const grant of grants) await server.query(`${grant} to ${name}`);
  const session = await sessionOn(server, { username: name, password });
  try {
    return await readingsOf(session, [...new Set(ASKED.flatMap(probesOf))]);
  } finally {
    await session.client.close();
  }
}

it('without pg_monitor they are unknown, each with a reason', async () => {
  const verdicts = judgeReadings(ASKED, await readAs('nobody', []), { later: DAY_MS / 2 });
  expect(verdicts.map(({ check, found }) => ({ name: check.name, found }))).toEqual(
    ASKED.map(({ name }) => ({ name, found: [] })),
  );
  for (const { unknown } of verdicts) expect(unknown[0]?.because).toMatch(/\w/);
});

it('with it and with the grants that are told they know', async () => {
  const readings = await readAs('reader', [
    'grant pg_monitor',
    'grant select on pg_catalog.pg_hba_file_rules',
    'grant execute on function pg_catalog.pg_hba_file_rules()',
  ]);
  const verdicts = judgeReadings(ASKED, readings, { later: DAY_MS / 2 });
  for (const { unknown } of verdicts) expect(unknown).toEqual([]);
  const found = verdicts.find(({ check }) => check.name === 'idle_in_transaction')?.found;
  expect(found).toMatchObject([{ severity: 'critical', evidence: { application_name: 'idle' } }]);
});
