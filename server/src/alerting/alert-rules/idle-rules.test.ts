// Idle rules through HTTP: which rules judge nothing on a server, because of what, and what mends it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { estateRoutes } from '../../estate/estate/estate.routes.ts';
import { addPlans } from '../../estate/server-logs/log-writes.service.ts';
import { keepRunwayOf } from '../../insight/runway/keep.service.ts';
import { sql } from '../../kernel/sql.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { collected, collectedHistory } from '../../testing/store/collected.ts';
import { looked } from '../../testing/store/logged.ts';
import { alertRulesRoutes } from './alert-rules.routes.ts';
import { demandKnown, knownRules } from './known-rules.service.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [alertRulesRoutes, estateRoutes] });
});
afterAll(() => test.close());

const get = (path: string) => test.call(`GET /api/v1/${path}`, { token: test.actors.superuser.session });

interface Idle {
  rule_id: number;
  name: string;
  status: string;
  reason: string;
  remedies: { statement: string; database_name: string | null; run_on: string; needs_restart: boolean }[];
}

async function readOn(id: number): Promise<{ rules: Idle[]; partly_blind: Idle[] }> {
  const answer = await get(`connections/${id}/idle-alert-rules`);
  expect(answer.status).toBe(200);
  const body: { connection_id: number; rules: Idle[]; partly_blind: Idle[] } = JSON.parse(answer.text);
  expect(body.connection_id).toBe(id);
  return body;
}

const isOfTheLog = ({ name }: { name: string }) => ['log', 'plans'].includes(demandKnown(name).source);
/** But for those that judge the log, which nobody reads here. */
const idleOn = async (id: number) => (await readOn(id)).rules.filter((one) => !isOfTheLog(one));
const blindOn = async (id: number) => (await readOn(id)).partly_blind;

async function problemsOf(id: number): Promise<number | undefined> {
  const { servers }: { servers: { connection_id: number; problem_count: number }[] } = JSON.parse(
    (await get('estate')).text,
  );
  return servers.find(({ connection_id }) => connection_id === id)?.problem_count;
}

const namesOf = (rules: readonly Idle[]) => rules.map(({ name }) => name);
const rulesOn = (...probes: string[]) =>
  [...knownRules.values()]
    .filter(({ probe, metric: { value } }) =>
      probes.some((one) => one === probe.name || (value.kind === 'share' && value.limit.probe === one)),
    )
    .map(({ rule }) => rule.name);

it('names the rules whose metric cannot be collected, with the reason and what mends it', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  expect(await idleOn(id)).toEqual([]);
  const at = Date.now();
  const skip = (probe: string, database_name: string, mend: string | null) => ({
    ...{ connection_id: id, at, probe, database_name },
    skipped: {
      reason: `Not there in ${database_name}.`,
      mend,
      cause: mend ? ('missing_extension' as const) : ('not_applicable' as const),
    },
  });
  await collected(
    test.db,
    skip('pg_stat_statements', 'a', null),
    skip('pg_stat_statements', 'b', 'create extension pg_stat_statements;'),
    skip('pg_sequence_usage', 'a', null),
    { connection_id: id, at, probe: 'pg_sequence_usage', database_name: 'b', rows: [] },
    skip('spock_resolutions', 'a', null),
    { connection_id: id, at, probe: 'pg_sys_cpu_info', skipped: { reason: 'Nobody tells.', mend: null } },
    { connection_id: id, at, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] },
  );
  const idle = await idleOn(id);
  expect(namesOf(idle).toSorted()).toEqual(
    [
      ...rulesOn('pg_stat_statements', 'spock_resolutions', 'pg_sys_cpu_info'),
      'sequence_exhausted_soon',
    ].toSorted(),
  );
  expect(idle.find(({ name }) => name === 'slow_query_count')).toMatchObject({
    status: 'missing_extension',
    reason: 'Not there in b.',
    remedies: [{ statement: 'create extension pg_stat_statements;', needs_restart: false }],
  });
  expect(idle.find(({ name }) => name === 'spock_recent_resolutions_high')).toMatchObject({
    status: 'not_applicable',
    remedies: [],
  });
  // The load is collected one day, and the processors it is judged by are not.
  expect(idle.find(({ name }) => name === 'load_average_high')).toMatchObject({
    status: 'missing_source',
    reason: 'Nobody tells.',
  });
});

it('names the rules that judge a log which is not read, or cannot be', async () => {
  const connection_id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const ofLog = async () => (await readOn(connection_id)).rules.filter(isOfTheLog);
  const never = await ofLog();
  expect(namesOf(never)).toContain('log_panic');
  expect(never[0]).toMatchObject({
    status: 'missing_source',
    reason: expect.stringContaining('never been read'),
    remedies: [{ statement: expect.stringContaining('create'), needs_restart: false }],
  });
  await looked(test.db, { connection_id, at: Date.now(), format: null });
  expect(await ofLog()).toHaveLength(never.length);
  await looked(test.db, { connection_id, at: Date.now() });
  // Its log is read, and has no plans.
  expect(await ofLog()).toMatchObject([
    {
      name: 'log_plan_regression',
      status: 'missing_source',
      reason: expect.stringContaining('auto_explain does not log any'),
      remedies: [{ statement: expect.stringContaining("load 'auto_explain'") }],
    },
  ]);
  await plan(test.db, connection_id);
  expect(await ofLog()).toEqual([]);
  await looked(test.db, { connection_id, at: Date.now() - DAY_MS });
  const stale = await ofLog();
  expect(stale[0]).toMatchObject({ status: 'stale', remedies: [] });
  // Plans can be compared without the log where an extension counts them.
  await test.db.run(sql`/* test.counters */
    insert into matriarch.plan_counters (connection_id, source, reading, read_at, is_whole, items)
    values (${connection_id}, 'pg_store_plans', 1, now(), true, '[]')`);
  expect(namesOf(await ofLog())).toEqual(namesOf(stale).filter((name) => name !== 'log_plan_regression'));
});

/** A plan was read in its log. */
const plan = (db: TestApi['db'], connection_id: number) =>
  addPlans(db, { connection_id }, [
    {
      ...{
        database_name: 'shop',
        statement_key: '7',
        plan_hash: 'a',
        source: 'log',
        outline: 'Result',
        nodes: 1,
      },
      ...{ first_seen: Date.now(), last_seen: Date.now(), logged: 1, planned: 0, total_ms: 1, worst_ms: 1 },
      ...{
        analyzed: 0,
        buffered: 0,
        total_rows: 0,
        hit_blocks: 0,
        read_blocks: 0,
        temp_blocks: 0,
        jit_ms: 0,
      },
      ...{ misestimates: [], example: null, example_at: Date.now(), example_ms: null },
    },
  ]);

const GRANT = 'grant select on all sequences in schema public to watcher;';

it('a rule is idle where no object may be read, and partly blind where some may not', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const at = Date.now();
  const run = { connection_id: id, at, probe: 'pg_sequence_usage' };
  const sequence = (seqrelid: number, is_readable: boolean) => ({ seqrelid, is_readable, cycles: false });
  const hidden = { cause: 'missing_grant' as const, note: 'None of 1.', mend: GRANT };
  // A database without sequences has nothing to judge.
  await collected(
    test.db,
    { ...run, database_name: 'empty', rows: [] },
    { ...run, database_name: 'shop', rows: [sequence(1, false)], hidden },
  );
  const idle = await idleOn(id);
  expect(namesOf(idle).toSorted()).toEqual([
    'sequence_exhausted_soon',
    'sequence_usage_critical',
    'sequence_usage_high',
  ]);
  expect(idle[0]).toMatchObject({
    status: 'missing_grant',
    reason: 'None of 1.',
    remedies: [{ statement: GRANT, database_name: 'shop' }],
  });
  expect(await blindOn(id)).toEqual([]);
  expect(await problemsOf(id)).toBe(1);

  await collected(test.db, { ...run, at: at + 1000, database_name: 'empty', rows: [sequence(1, true)] });
  expect(namesOf(await idleOn(id))).toEqual(['sequence_exhausted_soon']);
  const [found, other] = await blindOn(id);
  expect(found).toMatchObject({ reason: 'None of 1.', remedies: [{ statement: GRANT }] });
  expect(namesOf([found, other].filter((one) => one !== undefined)).toSorted()).toEqual([
    'sequence_usage_critical',
    'sequence_usage_high',
  ]);
  const context = await get(`alert-overrides/context/${id}/${found?.rule_id}`);
  expect(JSON.parse(context.text)).toMatchObject({ idle: null, partly_blind: found });
});

it('is said where a rule is set for a server, and not where it has something to judge', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const at = Date.now();
  const failed = 'It took too long.';
  await collected(test.db, { connection_id: id, at, probe: 'pg_settings', failed });
  const [found] = await idleOn(id);
  expect(found).toMatchObject({ name: 'high_max_connections', status: 'failing', reason: failed });
  const context = async (rule_id: number) =>
    JSON.parse((await get(`alert-overrides/context/${id}/${rule_id}`)).text);
  expect((await context(found?.rule_id ?? 0)).idle).toEqual(found);
  await collected(test.db, {
    ...{ connection_id: id, at: at + 1000, probe: 'pg_settings' },
    ...{ rows: [{ name: 'max_connections', setting: '100' }], history_by: ['name'] },
  });
  expect(await idleOn(id)).toEqual([]);
  expect((await context(found?.rule_id ?? 0)).idle).toBeNull();
});

it('a rule that judges a date is idle until there is one, or it is known that nothing grows', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const now = Date.now();
  const disk = (day: number, used_space: number) => ({
    ...{ connection_id: id, at: now - day * DAY_MS, probe: 'pg_sys_disk_info' },
    rows: [{ mount_point: '/', total_space: 100, used_space, free_space: 100 - used_space }],
  });
  await collectedHistory(test.db, [disk(5, 10), disk(4, 10), disk(0, 10)]);
  const why = async () => {
    const { reason, status } = (await idleOn(id)).find(({ name }) => name === 'disk_full_soon') ?? {};
    return reason && { reason, status };
  };
  const status = 'waiting';
  expect(await why()).toEqual({
    status,
    reason: 'When it runs out was not found yet; that is done every three hours.',
  });
  await keepRunwayOf(test.db, [id], now);
  expect(await why()).toEqual({
    status,
    reason: 'Not enough data yet: a forecast needs 4 values over 3 days, and there are 3 over 5 days.',
  });
  await collectedHistory(test.db, [disk(-1, 10)]);
  await keepRunwayOf(test.db, [id], now + DAY_MS);
  expect(await why()).toBeUndefined();
});

it('offers no remedy that would not wake the rule, and a reason names the metrics that need it', async () => {
  const id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
  const reason = 'track_io_timing is off, so times of reads and writes stay zero.';
  const mend = 'alter system set track_io_timing = on;\nselect pg_reload_conf();';
  await collected(test.db, {
    ...{ connection_id: id, at: Date.now(), probe: 'pg_stat_database' },
    rows: [{ datid: 1, datname: 'shop', numbackends: 3, xact_commit: 1 }],
    hidden: { cause: 'incomplete', note: reason, mend },
  });
  const soon = (await idleOn(id)).find(({ name }) => name === 'connections_exhausted_soon');
  expect(soon).toMatchObject({ status: 'waiting', remedies: [] });
  const { probes } = JSON.parse((await get(`connections/${id}/coverage`)).text);
  const entry = probes.find((one: { probe: string }) => one.probe === 'pg_stat_database');
  expect(entry).toMatchObject({ status: 'incomplete', reason, lacking: [{ reason }] });
  const { metrics } = entry.lacking[0];
  expect(metrics).toEqual(expect.arrayContaining(['blk_read_time', 'blk_write_time_per_sec']));
  expect(metrics).not.toContain('xact_commit_per_sec');
  expect(metrics).not.toContain('cache_hit_ratio');
});
