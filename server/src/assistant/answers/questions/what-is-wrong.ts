// What is wrong: who holds others up, what fired, what is waited for, what checks found, and what changed before. Guards: what may
// be a cause comes before what may be its effect; what could not be looked at is said.

import { knownRules, listAlertRules, listAlerts } from '../../../alerting/alerting.ts';
import type { RuleName } from '../../../alerting/rules/catalog.gen.ts';
import type { Ctx } from '../../../identity/identity.ts';
import { type CheckName, checks } from '../../../insight/checks/catalog.gen.ts';
import { openFindings } from '../../../insight/insight.ts';
import { shownCount } from '../../../kernel/shown-value.ts';
import { firstOf, worstFirst } from '../answer-texts.ts';
import type { AnswerInput, Point, Question, RuleAnswer, Unknown } from '../answers.types.ts';
import { changesIn } from './what-changed.ts';
import { waitsIn } from './what-is-slow.ts';
import { blockersOf, locksOf, locksUnknown } from './who-blocks-whom.ts';

const MOST_ALERTS = 100;
/** An alert that has been open for longer is not looked for. */
const LOOK_BACK_MS = 31 * 24 * 3_600_000;
const MOST_FINDINGS = 200;
const MOST_CHANGES = 5;

/** Of the same severity: causes before effects, what happens now before what has long been so. */
const ORDER: readonly Point['kind'][] = ['lock', 'alert', 'statement', 'finding', 'wait', 'runway', 'change'];
/** Rules of these say that a server is busy, and seldom why. */
const EFFECTS = new Set(['load_above_processors', 'cpu_usage_high', 'high_load_average']);

const DEAD_ROWS: readonly RuleName[] = ['dead_tuple_ratio', 'table_bloat_ratio', 'autovacuum_not_running'];
/** Of what a check finds, the rules that fire because of it. */
const EXPLAINS: ReadonlyMap<string, readonly RuleName[]> = new Map<CheckName, readonly RuleName[]>([
  ['autovacuum_off', DEAD_ROWS],
  ['table_autovacuum_off', DEAD_ROWS],
  ['autovacuum_starved', DEAD_ROWS],
  ['horizon_held', DEAD_ROWS],
  ['max_wal_size_small', ['checkpoint_warning']],
  ['statement_temp_files', ['temp_files_created']],
  ['missing_index', ['slow_query_count', 'statement_slower']],
  ['idle_in_transaction', ['blocked_queries', 'lock_wait_time']],
  ['archiving_fails', ['archive_delayed']],
  ['inactive_slot', ['replication_slot_inactive']],
]);

const isExplained = (cause: Point, { kind, name }: Point) =>
  kind === 'alert' && (EXPLAINS.get(cause.name)?.some((rule) => rule === name) ?? false);

/** What checks find of a table explains the alerts of that table alone. */
const OF_OBJECT: ReadonlySet<string> = new Set<CheckName>(['table_autovacuum_off']);

const explainsAny = (cause: Point, alerts: readonly Point[]) =>
  alerts.some(
    (alert) => isExplained(cause, alert) && (!OF_OBJECT.has(cause.name) || cause.about === alert.about),
  );

/** What explains an alert is as severe as that, and stands before it. */
function withCauses(points: readonly Point[], causes: readonly Point[]): Point[] {
  const all = [...points];
  for (const cause of causes) {
    const at = all.findIndex((point) => isExplained(cause, point));
    all.splice(at, 0, { ...cause, severity: all[at]?.severity ?? cause.severity });
  }
  return all;
}

const ADVICE: ReadonlyMap<string, string> = new Map(checks.map(({ name, advice }) => [name, advice]));

async function alertsIn(ctx: Ctx, { connection_id, from, to, isNow }: AnswerInput): Promise<Point[]> {
  const { alerts } = await listAlerts(ctx, {
    connection_id,
    limit: MOST_ALERTS,
    ...(isNow
      ? { exclude_cleared: true }
      : { start_time: new Date(from - LOOK_BACK_MS).toISOString(), end_time: new Date(to).toISOString() }),
  });
  // What fired before the window, and was open in it, is of that time too.
  const then = alerts.filter(({ cleared_at }) => cleared_at === undefined || Date.parse(cleared_at) >= from);
  const isRule = alerts.some(({ rule_id }) => rule_id !== undefined);
  const names = new Map((isRule ? await listAlertRules(ctx) : []).map(({ id, name }) => [id, name]));
  const points = then.map((alert): Point => {
    const known = knownRules.get(names.get(alert.rule_id ?? 0) ?? '')?.rule;
    return {
      kind: 'alert',
      name: known?.name ?? alert.alert_type,
      severity: alert.severity,
      says: `${alert.title}: ${alert.description}`,
      advice: known?.remedy ?? null,
      sql: null,
      about: alert.object_name ?? alert.database_name ?? null,
      since: alert.triggered_at,
      as_of: alert.sampled_at ?? alert.last_updated ?? null,
      path: `/alerts/${alert.id}`,
    };
  });
  return points.toSorted((a, b) => Number(EFFECTS.has(a.name)) - Number(EFFECTS.has(b.name)));
}

async function findingsOf(
  ctx: Ctx,
  { connection_id, to }: AnswerInput,
): Promise<{ points: Point[]; unknown: Unknown[] }> {
  const { findings, unknown, evaluated_at } = await openFindings(ctx, connection_id, MOST_FINDINGS);
  const points = findings
    .filter(({ opened_at }) => Date.parse(opened_at) <= to)
    // What came last explains best what is different now.
    .toSorted((a, b) => Date.parse(b.opened_at) - Date.parse(a.opened_at))
    .map(
      (one): Point => ({
        kind: 'finding',
        name: one.check,
        severity: one.severity,
        says: `${one.title}: ${one.message}`,
        advice: ADVICE.get(one.check) ?? null,
        sql: null,
        about: one.object_name ?? one.database_name,
        since: one.opened_at,
        as_of: one.figured_at,
        path: `/findings/${one.id}`,
      }),
    );
  const missing = unknown.map(({ title, because, mend }) => ({ about: title, because, mend }));
  if (evaluated_at === null)
    missing.unshift({ about: 'What checks find', because: 'This server was not judged yet.', mend: null });
  return { points, unknown: missing };
}

/** What is told of several objects stands there once, with how many more there are. */
function together(points: readonly Point[], path: string): Point[] {
  const same = Map.groupBy(points, ({ name, severity }) => `${name} ${severity}`);
  return [...same.values()].flatMap(([first, ...more]) =>
    first && more.length > 0
      ? [{ ...first, says: `${first.says} (${more.length} more of this kind.)`, path }]
      : first
        ? [first]
        : [],
  );
}

function summaryOf(points: readonly Point[], unknown: readonly Unknown[]): string {
  const wrong = points.filter(({ kind, severity }) => kind !== 'change' && severity !== 'info');
  const notes = points.filter(({ kind, severity }) => kind !== 'change' && severity === 'info').length;
  const without =
    unknown.length === 0 ? '' : ` ${shownCount(unknown.length, 'thing')} could not be looked at.`;
  if (wrong.length === 0)
    return `Nothing is known to be wrong${notes === 0 ? '' : `; there are ${shownCount(notes, 'note')}`}.${without}`;
  return `${shownCount(wrong.length, 'thing is', 'things are')} wrong. ${firstOf(wrong)}${without}`;
}

async function answer(ctx: Ctx, asked: AnswerInput): Promise<RuleAnswer> {
  const [alerts, known, locks] = await Promise.all([
    alertsIn(ctx, asked),
    findingsOf(ctx, asked),
    locksOf(ctx, asked),
  ]);
  const [waits, changes] = [await waitsIn(ctx, asked), await changesIn(ctx, asked)];
  const blockers = blockersOf(locks, asked);
  const found = together(known.points, `/servers/${asked.connection_id}?tab=findings`);
  const [causes = [], others = []] = [true, false].map((isCause) =>
    found.filter((one) => explainsAny(one, alerts) === isCause),
  );
  const points = withCauses(
    worstFirst(
      [
        ...(blockers ?? []),
        ...together(alerts, `/servers/${asked.connection_id}`),
        ...changes.slower,
        ...others,
        ...waits.points,
        ...changes.points.slice(0, MOST_CHANGES).map((one): Point => ({ ...one, severity: 'info' })),
      ],
      ORDER,
    ),
    causes,
  );
  const unknown = [
    ...(blockers ? [] : [locksUnknown(locks)]),
    ...waits.unknown,
    ...changes.unknown,
    ...known.unknown,
  ];
  return { points, unknown, summary: summaryOf(points, unknown) };
}

export const question: Question = {
  name: 'what_is_wrong',
  asked: 'What is wrong?',
  says: 'Who holds others up, what fired, statements that became slower, what checks found, what is waited for, and what changed before.',
  hours: 1,
  answer,
};
