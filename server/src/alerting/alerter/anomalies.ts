// Alerts of values that are unusual for a server or a database at that hour. Guards: what three of the last five samples reach is
// judged by the function that judges rules, so that mutes, blackouts, silence and clearing are the same; a metric of which
// too little is known yet is not judged; three statements for each probe, whatever the number of connections.

import {
  type AnomalyMetric,
  type HourBaseline,
  type MetricValue,
  newestMetrics,
  usualAt,
} from '../../history/history.ts';
import { Fault } from '../../kernel/errors.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { type Condition, judge } from '../alert-rules/judge.service.ts';
import { placesOf, Scores, scoreOf } from './anomaly-score.ts';
import { applyToOpen } from './changes.ts';
import type { Round } from './judge-rules.ts';
import type { DueAnomalies } from './memory.ts';
import { droppedSince } from './readings.ts';

const WARNING_SPREADS = 4;
const CRITICAL_SPREADS = 8;
const RAISED_BY = 'anomaly:';

/** Rows that are of a database name it. */
export const databaseOf = ({
  database_name,
  object,
}: Pick<MetricValue, 'database_name' | 'object'>): string =>
  database_name === '' && typeof object.datname === 'string' ? object.datname : database_name;

interface AnomalyReading extends AnomalyMetric {
  connection_id: number;
  database_name: string;
  at: number;
  value: number;
  usual: HourBaseline;
}

const rounded = (value: number) => Number(value.toPrecision(3));

function fieldsOf({ metric, label, value, usual, at, database_name }: AnomalyReading, score: number) {
  const place = database_name === '' ? '' : ` in database "${database_name}"`;
  const subject = `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
  const [now, expected, spread] = [value, usual.median, usual.spread].map((one) =>
    shownValue(one, metric.unit),
  );
  return {
    metric_value: value,
    operator: null,
    threshold_value: null,
    threshold_source: null,
    severity: score > CRITICAL_SPREADS ? ('critical' as const) : ('warning' as const),
    title: `Unusual ${label}${place}`,
    description: `${subject} is ${now} (usual at this hour: ${expected} ± ${spread}). Three of the last five samples deviate by at least ${rounded(score)} times the usual spread.`,
    sampled_at: new Date(at).toISOString(),
  };
}

const keyOf = ({
  metric,
  connection_id,
  database_name,
}: Pick<AnomalyReading, 'metric' | 'connection_id' | 'database_name'>) => ({
  ...{ connection_id, raised_by: `${RAISED_BY}${metric.wireName}`, database_name, object_name: '' },
});

function note({ memory, alerts, changes }: Round, judged: AnomalyReading): void {
  const { probe, metric, connection_id, database_name, at, value, usual } = judged;
  const key = keyOf(judged);
  const { raised_by } = key;
  const name = JSON.stringify([connection_id, raised_by, database_name]);
  const scores = memory.scores.get(name) ?? new Scores();
  memory.scores.set(name, scores);
  scores.add(at, scoreOf(value, usual));
  const reached = scores.reached;
  const fields = fieldsOf(judged, reached ?? 0);
  const { severity } = fields;
  const condition: Condition = { operator: '>', threshold: WARNING_SPREADS, severity, lastsSeconds: 0 };
  const before = alerts.stateOf(key);
  // The condition is the same for all of them; an alert has only another severity.
  const asked = before.open && { ...before.open, operator: condition.operator, threshold: WARNING_SPREADS };
  const verdict = judge({ at, value: reached }, condition, { ...before, open: asked });
  const open = alerts.openOf(key);
  const kept = open && verdict === 'recovering' ? { ...fields, severity: open.severity } : fields;
  if (open) applyToOpen(changes, open, { verdict, fields: kept });
  if (verdict !== 'fired' || reached === null) return;
  const { median: expected, spread } = usual;
  changes.fired.push({
    ...key,
    ...fields,
    alert_type: 'anomaly',
    probe_name: probe.name,
    metric_name: metric.wireName,
    metric_unit: metric.unit === '' ? null : metric.unit,
    anomaly_score: reached,
    anomaly_details: JSON.stringify({
      method: 'median and median absolute deviation',
      ...{ expected, spread, score: rounded(reached), samples: '3 of 5' },
    }),
  });
}

const usualKey = ({ connection_id, database_name, metric }: Omit<HourBaseline, 'median' | 'spread'>) =>
  JSON.stringify([connection_id, database_name, metric]);

/** Alerts of databases that were dropped are over: no sample is going to say so. */
async function endOfDropped(
  { ctx, alerts, changes, isFresh }: Round,
  own: readonly AnomalyMetric[],
  among: ReadonlySet<number>,
): Promise<void> {
  const names = new Set(own.map(({ metric }) => `${RAISED_BY}${metric.wireName}`));
  const open = [...alerts.open].filter(
    ({ connection_id, database_name, raised_by }) =>
      database_name !== '' && among.has(connection_id) && names.has(raised_by),
  );
  if (open.length === 0) return;
  const droppedAt = await droppedSince(ctx.db, isFresh, open);
  for (const one of open)
    if (droppedAt(one) !== undefined) changes.cleared.push({ id: one.id, message: null });
}

async function judgeProbe(round: Round, { probe, own, news }: DueAnomalies): Promise<void> {
  const { ctx, state, isFresh, now } = round;
  const { db } = ctx;
  const all = await usualAt(db, {
    connection_ids: news.map(({ connection_id }) => connection_id),
    metrics: own.map(({ metric }) => metric.wireName),
    places: placesOf(now),
  });
  await endOfDropped(round, own, new Set(news.map(({ connection_id }) => connection_id)));
  if (all.length === 0) return;
  const usual = new Map(all.map((one) => [usualKey(one), one]));
  const connection_ids = [...new Set(all.map(({ connection_id }) => connection_id))];
  const metrics = own.map(({ metric }) => metric);
  const found = await newestMetrics(db, { probe, metrics, connection_ids, now });
  const ownOf = new Map(state.watched.map((one) => [one.connection_id, one.own_database]));
  for (const [index, one] of own.entries())
    for (const value of found[index] ?? []) {
      const at = value.at === null ? Number.NaN : Date.parse(value.at);
      const { connection_id } = value;
      const database_name = databaseOf(value);
      const known = usual.get(usualKey({ connection_id, database_name, metric: one.metric.wireName }));
      // What is usual in the product's own database is the product's own matter.
      const isOwn = database_name !== '' && ownOf.get(connection_id) === database_name;
      if (!known || isOwn || value.value === null || !isFresh({ probe, connection_id, at })) continue;
      note(round, { ...one, connection_id, database_name, at, value: value.value, usual: known });
    }
}

/** What cannot be read of one probe is judged again, and keeps nothing else from being judged. */
export async function judgeAnomalies(round: Round, due: DueAnomalies): Promise<void> {
  const { ctx, memory } = round;
  const names = due.own.map(({ metric }) => metric.wireName);
  try {
    await judgeProbe(round, due);
    memory.judgedAnomalies(due);
    for (const name of names) memory.unread.delete(name);
  } catch (error) {
    if (error instanceof Fault && error.code === 'unavailable') throw error;
    ctx.log.warn({ event: 'alerter.anomalies_failed', probe: due.probe.name, err: error });
    for (const name of names) memory.unread.add(name);
  }
}
