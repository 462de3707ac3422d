// What is kept quiet of some servers, now and soon, as people are told: for whoever has checked that they may see these servers.
import type { Db } from '../../kernel/db.ts';
import { parseCron } from '../../kernel/schedule/cron.ts';
import { nextOccurrences } from '../../kernel/schedule/recurrence.ts';
import { iso } from '../../kernel/times.ts';
import { listPlanned, listQuiet, type PlannedRow, type QuietRow } from './ahead.queries.ts';

const MOST_UPCOMING = 20;
/** Of one schedule; whoever plans more in a day is told the first ones. */
const TIMES_OF_A_SCHEDULE = 5;

interface Ahead {
  now: number;
  until: number;
}

interface QuietTime {
  scope: string;
  reason: string;
  start_time: string;
  end_time: string;
}

/** What a blackout is for, as people say it. */
function scopeWords({
  scope,
  target_name,
  database_name,
}: Pick<QuietRow, 'scope' | 'target_name' | 'database_name'>): string {
  const named = target_name === null ? scope : `${scope} ${target_name}`;
  return database_name === null ? named : `${named}, database ${database_name}`;
}

const shownQuiet = (row: QuietRow): QuietTime => ({
  scope: scopeWords(row),
  reason: row.reason,
  start_time: row.start_time,
  end_time: row.end_time,
});

function plannedTimes(row: PlannedRow, { now, until }: Ahead): QuietTime[] {
  const recurrence = { cron: parseCron(row.cron_expression), timezone: row.timezone };
  return nextOccurrences(recurrence, now, TIMES_OF_A_SCHEDULE)
    .filter(({ at }) => at < until)
    .map(({ at }) => ({
      scope: scopeWords(row),
      reason: row.reason,
      start_time: iso(at),
      end_time: iso(at + row.duration_minutes * 60_000),
    }));
}

/** Those in force, and those that begin before `until`, planned ones too; times in milliseconds since the epoch. */
export async function blackoutsAhead(db: Db, ids: readonly number[], { now, until }: Ahead) {
  const [quiet, planned] = [
    await listQuiet(db, ids, { now: iso(now), until: iso(until) }),
    await listPlanned(db, ids),
  ];
  const isActive = ({ start_time }: QuietRow) => Date.parse(start_time) <= now;
  const upcoming = quiet.filter((row) => !isActive(row)).map(shownQuiet);
  const known = new Set(upcoming.map(({ scope, start_time }) => `${scope} ${Date.parse(start_time)}`));
  for (const row of planned)
    for (const time of plannedTimes(row, { now, until }))
      if (!known.has(`${time.scope} ${Date.parse(time.start_time)}`)) upcoming.push(time);
  return {
    active: quiet.filter(isActive).map(shownQuiet),
    upcoming: upcoming
      .sort((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time))
      .slice(0, MOST_UPCOMING),
  };
}
