// matriarch alerts: listing, showing with evidence, and acknowledging, on a real datastore.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { insertFired } from '../alerting/alerter/changes.queries.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { startTestApi, type TestApi } from '../testing/api.ts';
import { runCli } from './cli.ts';
import type { CliIo } from './command.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [] });
});
afterAll(() => test.close());
beforeEach(() => test.db.run(sql`/* test.forget */ delete from matriarch.alerts`));

const fire = async (object_name: string) => {
  const [row] = await insertFired(test.db, [
    {
      alert_type: 'threshold',
      raised_by: 'rule:disk_usage_percent',
      rule_id: null,
      connection_id: test.actors.own_connection,
      database_name: '',
      object_name,
      probe_name: 'pg_sys_disk_info',
      metric_name: 'pg_sys_disk_info.used_percent',
      metric_value: 90,
      metric_unit: 'percent',
      operator: '>',
      threshold_value: 80,
      threshold_source: 'cluster',
      severity: 'warning',
      title: 'A disk fills up\u001b[31m',
      description: 'Nearly full.',
      sampled_at: '2026-01-01T00:00:00Z',
    },
  ]);
  return row?.id ?? 0;
};

async function run(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const io: CliIo = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    interactive: false,
    readSecret: () => Promise.resolve(new Secret('')),
    db: () => Promise.resolve(test.database.db),
    migrate: () => Promise.reject(new Error('not asked for')),
    clock: systemClock,
    log: silentLog,
    config: () => {
      throw new Error('not asked for');
    },
  };
  const code = await runCli(io, ['alerts', ...args]);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

it('lists what is open, newest first, and says where there is more', async () => {
  const [first, second] = [await fire('/a'), await fire('/b')];
  const { code, out } = await run('list');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^ID +FIRED +SEVERITY +STATUS +SERVER +OF +ALERT$/),
    expect.stringMatching(new RegExp(`^${second} .* warning +active .* /b +A disk fills up\\?\\[31m$`)),
    expect.stringMatching(new RegExp(`^${first} .* /a `)),
  ]);
  expect((await run('list', '--limit', '1')).err).toBe('1 of 2; more with --limit.');
  const { alerts, total } = JSON.parse((await run('list', '--severity', 'warning', '--json')).out);
  expect([alerts[0].id, total]).toEqual([second, 2]);
  expect(JSON.parse((await run('list', '--status', 'cleared', '--json')).out).total).toBe(0);
});

it('shows one with its evidence, and acknowledges it once', async () => {
  const id = await fire('/data');
  const shown = await run('show', String(id));
  expect(shown.code, shown.err).toBe(0);
  expect(shown.out).toMatch(/Alert when +> 80 \(set: cluster\)/);
  expect(shown.out).toMatch(/Around that time +This alert is not about a metric of a rule\./);
  expect(shown.out).toMatch(/Changed before +nothing that is known of/);
  expect(shown.out).toMatch(/ fired +warning +90 +Nearly full\./);
  expect(shown.out).not.toContain('\u001b');
  expect(await run('acknowledge', String(id), '--message', 'On it.')).toMatchObject({
    code: 0,
    out: 'Acknowledged.',
  });
  const { alert, events, evidence } = JSON.parse((await run('show', String(id), '--json')).out);
  expect(alert).toMatchObject({
    status: 'acknowledged',
    acknowledged_by: 'system: cli',
    ack_message: 'On it.',
  });
  expect(events).toHaveLength(2);
  expect(evidence).toMatchObject({ alert_id: id, threshold: { source: 'cluster' } });
  expect(await run('acknowledge', String(id))).toMatchObject({
    code: 1,
    err: expect.stringContaining('This alert is acknowledged already.'),
  });
});

it.each([
  [['list', '--status', 'x'], '--status: give one of active, acknowledged, cleared.'],
  [['list', '--limit', '0'], '--limit: give a number from 1 to 1000.'],
  [['list', '--server', 'x'], '--server: give a number from 1'],
  [['show', 'x'], 'Give the id of an alert, such as 17.'],
  [['show', '2000000000'], 'There is no such alert.'],
  [['acknowledge', '9999999999'], 'Give the id of an alert, such as 17.'],
])('says of %j what to do', async (args, words) => {
  expect(await run(...args)).toMatchObject({ code: 1, err: expect.stringContaining(words) });
});
