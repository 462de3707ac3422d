// Alert rules and checks on the same servers, in every place that a server has in an estate: no rule fires and no check finds anything
// of replication where all is well, and where something is not, both say so. The table that is printed says what each scene brought.
// Everyday the scenes that have been wrong, on the newest version; in the proof all of them on the oldest and the newest, and on the
// versions between by turns.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckName } from '../../insight/checks/catalog.gen.ts';
import { checks } from '../../insight/checks/catalog.gen.ts';
import type { Check } from '../../insight/checks/types.ts';
import { sql } from '../../kernel/sql.ts';
import { JUDGEMENT_SCENES, type JudgementScene } from '../../testing/servers/judgement-scenes.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../../testing/servers/judging.ts';
import { MAJORS, type Major, type TestCluster } from '../../testing/servers/postgres.ts';
import { probeNamed, sessionOn } from '../../testing/servers/probing.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { endMajors, isProof } from '../../testing/tier.ts';
import type { RuleName } from '../rules/catalog.gen.ts';

/** A check and the rules that judge the same thing: what is graver than a note there is an alert here, as grave. */
const PAIRS: readonly (readonly [CheckName, ...RuleName[]])[] = [
  ['inactive_slot', 'replication_slot_inactive'],
  ['lost_slot', 'replication_slot_lost'],
  ['slot_at_risk', 'replication_slot_at_risk'],
  ['standby_without_receiver', 'replication_standby_disconnected'],
  ['standby_behind', 'replication_lag_bytes'],
  ['archiving_fails', 'wal_archive_failed', 'archive_delayed'],
  ['connections_nearly_used_up', 'connection_utilization', 'connections_exhausted'],
  ['checksum_failures', 'checksum_failures'],
  ['collation_version_mismatch', 'collation_version_mismatch'],
  ['pending_restart', 'settings_pending_restart'],
  ['invalid_index', 'invalid_index'],
  ['subscription_stopped', 'subscription_worker_down'],
];
/** Rules that the scenes here are not about: the machine that runs the tests is as busy as it is. */
const OF_MACHINE = /^(cpu_|load_|memory_|disk_|metric_staleness)/;

const STEP = 300;
const ALL: readonly Check[] = checks;
const PROBES = [
  ...new Set([...ALL.flatMap(probesOf), 'pg_node_role', 'pg_stat_replication', 'pg_replication_slots']),
].filter((name) => !name.startsWith('pg_sys_') && name !== 'pg_active_sessions');

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

/** As the collector keeps them: beside the reading before. */
function compared(now: Readings, before: Readings | undefined): Readings {
  for (const [name, readings] of now.readings) {
    const { compare } = probeNamed(name);
    if (!compare) continue;
    const last = before?.readings.get(name)?.[0]?.rows;
    now.readings.set(
      name,
      readings.map((one) => ({ ...one, rows: compare({ rows: one.rows, at: one.collected_at }, last) })),
    );
  }
  return now;
}

const store = (id: number, at: number, { readings }: Readings) =>
  house.feedAll(
    id,
    [...readings].flatMap(([probe, all]) =>
      all.map(({ database_name, rows }) => [probe, { rows: [...rows], ago: -at, database_name }] as const),
    ),
  );

const inOneCluster = (ids: readonly number[]) =>
  house.db.run(sql`/* test.cluster */
    insert into matriarch.topology_nodes (connection_id, cluster_key, detected_at)
    select id, ${`cluster of ${ids[0]}`}, now() from unnest(${ids}::integer[]) id`);

const openOn = async (id: number) =>
  (
    await house.db.rows<{ name: string; severity: string }>(sql`/* test.open */
      select substr(raised_by, 6) as name, severity
      from matriarch.alerts
      where connection_id = ${id} and status <> 'cleared'
      order by 1`)
  ).filter(({ name }) => !OF_MACHINE.test(name));

const GRAVEST = ['critical', 'warning'];
const gravest = (severities: readonly string[]) => GRAVEST.find((one) => severities.includes(one)) ?? 'none';

const table: string[] = [];
afterAll(() => {
  process.stdout.write(`\n${table.join('\n')}\n`);
});

/** Servers that stand while other scenes are played, by the titles of theirs. */
const ahead = new Map<string, TestCluster>();

async function play(
  { scene, expects = [], make }: JudgementScene,
  major: Major,
  title: string,
): Promise<void> {
  const { server, meanwhile, mates = [] } = await make(major, ahead.get(title));
  const session = await sessionOn(server);
  const id = await house.leased();
  house.forget();
  const first = compared(await readingsOf(session, PROBES), undefined);
  await meanwhile?.();
  const second = compared(await readingsOf(session, PROBES), first);
  await session.client.close();
  const others = await Promise.all(mates.map(async (mate) => ({ id: await house.leased(), mate })));
  const members: Readings[] = [];
  for (const { mate } of others) {
    const beside = await sessionOn(mate);
    members.push(await readingsOf(beside, PROBES));
    await beside.client.close();
  }
  await inOneCluster([id, ...others.map((one) => one.id)]);
  for (const [at, readings] of [
    [-STEP, first],
    [0, second],
    [STEP, second],
  ] as const) {
    for (const [index, one] of others.entries()) await store(one.id, at, members[index] ?? second);
    await store(id, at, readings);
    await house.round({ now: Date.now() + at * 1000 + 1000 });
  }
  const alerts = await openOn(id);
  const open = alerts.map(({ name }) => name);
  const found = judgeReadings(ALL, second, { members })
    .filter(({ found: own }) => own.length > 0)
    .map(({ check, found: own }) => ({ check: check.name, category: check.category, own }));
  const ofCheck = (name: string) =>
    gravest(found.flatMap(({ check, own }) => (check === name ? own.map((one) => one.severity) : [])));
  const ofRules = (rules: readonly string[]) =>
    gravest(alerts.flatMap(({ name, severity }) => (rules.includes(name) ? [severity] : [])));
  table.push(
    `${major} ${scene}: alerts ${open.join(', ') || 'none'}; checks of replication ${
      found.flatMap(({ check, category }) => (category === 'replication' ? [check] : [])).join(', ') || 'none'
    }`,
  );
  expect({ scene, open }).toEqual({ scene, open: [...expects].toSorted() });
  const contradictions = PAIRS.map(([check, ...rules]) => ({
    check,
    finding: ofCheck(check),
    alert: ofRules(rules),
  })).filter(({ finding, alert }) => finding !== alert);
  expect({ scene, contradictions }).toEqual({ scene, contradictions: [] });
}

const newest = MAJORS.at(-1);
const between = MAJORS.filter((major) => !endMajors.includes(major));
const everydayOf = ({ isQuick }: JudgementScene) => (isQuick === true ? newest : isQuick);
/** On which versions the proof plays a scene, beside the one on which it is played everyday. */
function proofOf(scene: JudgementScene, index: number): Major[] {
  const fitting = between.filter((major) => (scene.from ?? 0) <= major);
  const turn = fitting[index % fitting.length];
  return MAJORS.filter(
    (major) =>
      (scene.from ?? 0) <= major &&
      (endMajors.includes(major) || major === turn) &&
      major !== everydayOf(scene),
  );
}
const cases = JUDGEMENT_SCENES.flatMap((scene, index) =>
  MAJORS.filter((major) =>
    isProof() ? proofOf(scene, index).includes(major) : major === everydayOf(scene),
  ).map((major) => ({ major, scene, title: `${scene.scene} on PostgreSQL ${major}` })),
).toSorted((a, b) => Number('ahead' in a.scene) - Number('ahead' in b.scene));

beforeAll(async () => {
  for (const { major, scene, title } of cases) {
    const server = await scene.ahead?.(major);
    if (server) ahead.set(title, server);
  }
});

it.each(cases)('$title', async ({ major, scene, title }) => {
  const lacks = scene.lacks?.();
  if (lacks !== undefined) {
    table.push(`${major} ${scene.scene}: not played, ${lacks}`);
    return;
  }
  await play(scene, major, title);
});
