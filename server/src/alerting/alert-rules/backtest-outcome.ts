// From the past of a metric to what a rule would have done: things that go by one name put together as the alerter puts them,
// alerts counted and listed, and the worst of all things over time for a chart. Pure. Guards: what is listed is bounded.

import type { History, PastValue } from '../../history/history.ts';
import { greatest } from '../../kernel/lists.ts';
import type { Static } from '../../kernel/schema.ts';
import { iso } from '../../kernel/times.ts';
import type { Backtest } from './backtest.schemas.ts';
import { type Condition, isWorse, type Reading, worseOf } from './judge.service.ts';
import { type KnownRule, objectNameOf } from './known-rules.service.ts';
import { type Fired, openSeconds, replay } from './replay.ts';

const MOST_EVENTS = 200;
const STEPS = 300;

type Outcome = Static<typeof Backtest>['candidate'];
type Series = Static<typeof Backtest>['series'];

export interface Thing {
  connection_id: number;
  database_name: string;
  object_name: string;
  readings: Reading[];
}

function merge(one: readonly PastValue[], other: readonly PastValue[], known: KnownRule): PastValue[] {
  const byTime = new Map<number, PastValue>(one.map((value) => [value.at, value]));
  for (const value of other) {
    const before = byTime.get(value.at);
    if (!before || before.isGone) byTime.set(value.at, value);
    else if (!value.isGone) byTime.set(value.at, worseOf(before, value, known.rule));
  }
  return [...byTime.values()].sort((a, b) => a.at - b.at);
}

/** Of each name in a database one. */
export function thingsOf(known: KnownRule, histories: readonly History[]): Thing[] {
  const found = new Map<string, Thing>();
  for (const { connection_id, database_name, object, values } of histories) {
    const object_name = objectNameOf(known, object);
    const key = JSON.stringify([connection_id, database_name, object_name]);
    const before = found.get(key);
    if (before) before.readings = merge(before.readings, values, known);
    else found.set(key, { connection_id, database_name, object_name, readings: values });
  }
  return [...found.values()];
}

/** A rule as it is on a connection. */
export interface Held extends Condition {
  is_enabled: boolean;
}

export interface Judging {
  /** Milliseconds since the epoch. */
  to: number;
  nameOf(connection_id: number): string;
  gapOf(connection_id: number): number;
  heldOn(connection_id: number): Held;
}

/** What all servers have in common; null: they differ. */
function valuesOf(held: readonly Held[]): Outcome['values'] {
  const [first] = held;
  const text = JSON.stringify(first);
  if (!first || held.some((one) => JSON.stringify(one) !== text)) return null;
  const { operator, threshold, severity, is_enabled: enabled, lastsSeconds: lasts_seconds } = first;
  return { operator, threshold, severity, enabled, lasts_seconds };
}

interface FiredThing {
  thing: Thing;
  fired: Fired;
  seconds: number;
}

function firedIn(things: readonly Thing[], { to, gapOf, heldOn }: Judging): FiredThing[] {
  return things.flatMap((thing) => {
    const held = heldOn(thing.connection_id);
    const until = { to, gap_ms: gapOf(thing.connection_id) };
    const all = held.is_enabled ? replay(thing.readings, held, until) : [];
    return all.map((fired) => ({ thing, fired, seconds: openSeconds(fired, until) }));
  });
}

/** The newest alerts are listed, in order of time. */
export function outcomeOf(
  things: readonly Thing[],
  connection_ids: readonly number[],
  judging: Judging,
): Outcome {
  const found = firedIn(things, judging).sort((a, b) => a.fired.fired_at - b.fired.fired_at);
  const events = found.slice(-MOST_EVENTS).map(({ thing, fired, seconds }) => ({
    connection_id: thing.connection_id,
    connection_name: judging.nameOf(thing.connection_id),
    database_name: thing.database_name,
    object_name: thing.object_name,
    fired_at: iso(fired.fired_at),
    cleared_at: fired.cleared_at === undefined ? null : iso(fired.cleared_at),
    open_seconds: seconds,
    peak_value: fired.peak,
  }));
  return {
    values: valuesOf(connection_ids.map((id) => judging.heldOn(id))),
    fired: found.length,
    open_seconds: found.reduce((sum, { seconds }) => sum + seconds, 0),
    affected: new Set(found.map(({ thing }) => thing)).size,
    events,
    events_left_out: found.length - events.length,
  };
}

/** The worst of all things in each step of the window, which lasts at least as long as the time between two values. */
export function seriesOf(
  things: readonly Thing[],
  { from, to, least_seconds }: { from: number; to: number; least_seconds: readonly number[] },
  condition: Pick<Condition, 'operator'>,
): Series {
  const step = Math.max((to - from) / STEPS, greatest(least_seconds, 1) * 1000);
  const values = Array.from({ length: Math.ceil((to - from) / step) }, (): number | null => null);
  for (const { readings } of things)
    for (const { at, value } of readings) {
      const index = Math.min(values.length - 1, Math.ceil((at - from) / step) - 1);
      const before = values[index];
      if (value === null || before === undefined) continue;
      if (before === null || isWorse(value, before, condition)) values[index] = value;
    }
  return { start_time: iso(from), step_seconds: step / 1000, values };
}
