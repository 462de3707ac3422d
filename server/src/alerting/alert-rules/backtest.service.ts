// What a rule would have done with other values, over what was collected. Guards: only servers that the caller may read; what
// would take too long is refused in words before it is read; judged by the functions that the alerter judges with.

import { type HistoryPart, metricHistory, type Past, planHistory } from '../../history/history.ts';
import type { Ctx } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { append, greatest, least } from '../../kernel/lists.ts';
import type { Static } from '../../kernel/schema.ts';
import { wholeNumber } from '../../kernel/shown-value.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { isKnownNowOnly, isOfAll, measuredFor } from '../../probes/formula.ts';
import { longestIntervalSeconds } from '../../probes/types.ts';
import { gapMs } from '../../store/layout/intervals.ts';
import { type BacktestRow, findBacktest, type RuleReads } from './backtest.queries.ts';
import type { Backtest, BacktestRequest } from './backtest.schemas.ts';
import { type Held, outcomeOf, seriesOf, type Thing, thingsOf } from './backtest-outcome.ts';
import { isWorse } from './judge.service.ts';
import { demandKnown, type KnownRule, knownRules } from './known-rules.service.ts';

type BacktestInput = Static<typeof BacktestRequest>;

const DAYS = 30;
const MOST_SERVERS = 100;
export const RULE_READS: readonly RuleReads[] = [...knownRules].map(
  ([
    rule,
    {
      probe,
      metric: { value },
    },
  ]) => ({
    ...{ rule, probe: probe.name },
    limit: value.kind === 'share' ? value.limit : undefined,
  }),
);

interface Server extends BacktestRow {
  connection_id: number;
}

const isServer = (row: BacktestRow): row is Server => row.connection_id !== null;

function demandScopeId({ scope, scope_id }: BacktestInput): void {
  if ((scope === 'estate') === (scope_id === undefined)) return;
  const words =
    scope === 'estate'
      ? 'Leave out scope_id where scope is estate.'
      : `Name the ${scope} with scope_id, or choose the scope estate.`;
  throw new Fault('bad_request', words);
}

/** Metrics of which nothing is kept that could be judged again. */
function demandPast({ rule, metric }: KnownRule): void {
  if (isKnownNowOnly(metric))
    throw new Fault(
      'bad_request',
      `${rule.metric} has no history, so when ${rule.name} would have fired is unknown.`,
    );
}

interface Subject {
  known: KnownRule;
  servers: Server[];
  from: number;
  to: number;
}

async function subjectOf(ctx: Ctx, rule_id: number, asked: BacktestInput): Promise<Subject> {
  demandScopeId(asked);
  const { scope, scope_id, days = DAYS } = asked;
  const to = ctx.clock.now();
  const from = to - days * DAY_MS;
  const wanted = { rule_id, scope, scope_id, from, read: RULE_READS, most: MOST_SERVERS + 1 };
  const rows = await findBacktest(ctx.db, ctx.principal, wanted);
  const [first] = rows;
  if (!first) throw new Fault('not_found', 'There is no such alert rule.');
  const servers = rows.filter(isServer);
  if (servers.length === 0)
    throw new Fault(
      'not_found',
      scope === 'estate'
        ? 'There is no server that you may read.'
        : `There is no such ${scope}, or no server in it that you may read.`,
    );
  if (servers.length > MOST_SERVERS)
    throw new Fault(
      'bad_request',
      `At most ${MOST_SERVERS} servers are judged at once; choose a group, a cluster or a server.`,
    );
  const known = demandKnown(first.rule_name);
  demandPast(known);
  return { known, servers, from, to };
}

/** How often the probe runs there, as gaps are judged. */
export function intervalOf(
  { probe }: KnownRule,
  { interval_seconds }: Pick<Server, 'interval_seconds'>,
): number {
  const longest = longestIntervalSeconds(probe);
  return longest > probe.intervalSeconds ? Math.max(interval_seconds, longest) : interval_seconds;
}

function partsOf(ctx: Ctx, { known, servers, from, to }: Subject): HistoryPart[] {
  const { probe, metric, rule } = known;
  const isOne = isOfAll(measuredFor(probe, metric));
  const entities = servers.reduce((sum, one) => sum + (isOne ? 1 : Math.max(1, one.entities)), 0);
  const parts = planHistory({
    ...{ probe, metric, from, to, entities },
    now: ctx.clock.now(),
    kept_days: least(servers.map(({ retention_days }) => retention_days)),
    interval_seconds: least(servers.map((one) => intervalOf(known, one))),
    known_since: least(servers.map(({ created_at }) => created_at)),
    connections: servers.length,
  });
  if (!parts)
    throw new Fault(
      'bad_request',
      `${rule.name} judges ${wholeNumber(entities)} things on ${servers.length === 1 ? 'this server' : `${servers.length} servers`}, which is more than can be judged at once over this time; choose fewer days${servers.length === 1 ? '' : ' or fewer servers'}.`,
    );
  if (parts.length === 0)
    throw new Fault(
      'bad_request',
      `No samples of ${rule.metric} are kept, so when ${rule.name} would have fired is unknown.`,
    );
  return parts;
}

const widthWords = (seconds: number) => (seconds >= 3600 ? `${seconds / 3600} h` : `${seconds / 60} min`);

function notesOf({ known, from }: Subject, parts: readonly HistoryPart[]): string[] {
  const { metric, probe } = known;
  const measured = measuredFor(probe, metric).value.kind;
  const rolled = parts.find(({ source }) => source === 'rollups');
  const [first] = parts;
  const width = rolled && widthWords(rolled.seconds);
  return [
    ...(rolled && measured === 'ratio of gauges'
      ? [`Where rollups were read, the ratio is of the means of each ${width}.`]
      : []),
    ...(rolled && measured === 'gauge'
      ? [`Where rollups were read, the worst value of each ${width} was judged as one sample.`]
      : []),
    ...(first && first.source === 'samples' && first.from > from + DAY_MS
      ? ['This metric is kept as samples only, and the time before they begin is not known.']
      : []),
    ...(metric.value.kind === 'share' ? [`${metric.value.limit.column} is taken as it is known now.`] : []),
  ];
}

interface BacktestRun {
  past: Past;
  things: Thing[];
}

/** What the metric is a share of, by connection, as it is known now. */
export const limitsIn = (
  rows: readonly { connection_id: number; limit_value: number | null }[],
): Map<number, number> =>
  new Map(
    rows.flatMap(({ connection_id, limit_value: limit }) =>
      limit !== null && limit > 0 ? [[connection_id, limit]] : [],
    ),
  );

/** The past with either the most or the least of each span of rollups, each read once; samples are one past. */
function pastsOf(ctx: Ctx, { known, servers }: Subject, parts: readonly HistoryPart[]) {
  const { probe, metric } = known;
  const intervals = new Map(servers.map((one) => [one.connection_id, intervalOf(known, one)]));
  const query = {
    ...{ probe, metric, parts },
    connection_ids: servers.map(({ connection_id }) => connection_id),
    intervalOf: (id: number) => intervals.get(id) ?? probe.intervalSeconds,
    limits: limitsIn(servers),
  };
  const read = new Map<'max' | 'min' | 'any', BacktestRun>();
  const hasRollups = parts.some(({ source }) => source === 'rollups');
  return async (condition: Pick<Held, 'operator'>): Promise<BacktestRun> => {
    const worst = isWorse(0, 1, condition) ? 'min' : 'max';
    const key = hasRollups ? worst : 'any';
    const known_already = read.get(key);
    if (known_already) return known_already;
    const past = await metricHistory(ctx.db, { ...query, worst });
    const made = { past, things: thingsOf(known, past.histories) };
    read.set(key, made);
    return made;
  };
}

/** What is in force, as the backtest of it reads the past. */
async function inForceOf(
  { known: { rule }, servers }: Subject,
  pastOf: ReturnType<typeof pastsOf>,
): Promise<{ things: Thing[]; heldOn(id: number): Held }> {
  const lastsSeconds = rule.lastsSeconds ?? 0;
  const held = new Map(
    servers.map(({ connection_id, operator, threshold, severity, is_enabled }) => [
      connection_id,
      { operator, threshold, severity, is_enabled, lastsSeconds },
    ]),
  );
  const things: Thing[] = [];
  for (const operator of new Set(servers.map((one) => one.operator))) {
    const all = (await pastOf({ operator })).things;
    append(
      things,
      all.filter(({ connection_id }) => held.get(connection_id)?.operator === operator),
    );
  }
  return { things, heldOn: (id) => held.get(id) ?? { ...rule, lastsSeconds, is_enabled: false } };
}

function readOf({ from, to }: Subject, parts: readonly HistoryPart[], { tiers }: Past) {
  return parts.map((part, index) => ({
    start_time: new Date(Math.max(part.from, from)).toISOString(),
    end_time: new Date(Math.min(part.to, to)).toISOString(),
    tier: tiers[index] ?? 'raw',
    resolution_seconds: part.seconds,
  }));
}

const shareOf = ({ servers, from, to }: Subject, { measured }: Past) =>
  servers.reduce(
    (sum, { connection_id: id }) => sum + Math.min(1, (1000 * (measured.get(id) ?? 0)) / (to - from)),
    0,
  ) / servers.length;

function sinceOf(things: readonly Thing[]): string | null {
  const first = least(
    things.flatMap(({ readings }) => readings.find(({ value }) => value !== null)?.at ?? []),
  );
  return Number.isFinite(first) ? new Date(first).toISOString() : null;
}

/** Three statements at most; what is in force the other way round takes the past once more. */
export async function backtestAlertRule(
  ctx: Ctx,
  rule_id: number,
  asked: BacktestInput,
): Promise<Static<typeof Backtest>> {
  const subject = await subjectOf(ctx, rule_id, asked);
  const { known, servers, from, to } = subject;
  const { rule, metric } = known;
  const parts = partsOf(ctx, subject);
  const pastOf = pastsOf(ctx, subject, parts);
  const { operator, threshold, severity, lasts_seconds: lastsSeconds = rule.lastsSeconds ?? 0 } = asked;
  const candidate: Held = { operator, threshold, severity, lastsSeconds, is_enabled: true };
  const byId = new Map(servers.map((one) => [one.connection_id, one]));
  const widths = parts.map(({ seconds }) => seconds);
  const judging = {
    to,
    nameOf: (id: number) => byId.get(id)?.connection_name ?? '',
    gapOf: (id: number) => {
      const server = byId.get(id);
      return greatest(widths, gapMs(server ? intervalOf(known, server) : 0) / 1000) * 1000;
    },
  };
  const { past, things } = await pastOf(candidate);
  const { things: ofForce, heldOn } = await inForceOf(subject, pastOf);
  const ids = [...byId.keys()];
  return {
    rule_id,
    metric_name: rule.metric,
    metric_unit: metric.unit === '' ? null : metric.unit,
    start_time: new Date(from).toISOString(),
    end_time: new Date(to).toISOString(),
    servers: servers.length,
    things: things.length,
    read: readOf(subject, parts, past),
    measured_since: sinceOf(things),
    coverage: shareOf(subject, past),
    candidate: outcomeOf(things, ids, { ...judging, heldOn: () => candidate }),
    in_force: outcomeOf(ofForce, ids, { ...judging, heldOn }),
    series: seriesOf(things, { from, to, least_seconds: widths }, candidate),
    notes: notesOf(subject, parts),
  };
}
