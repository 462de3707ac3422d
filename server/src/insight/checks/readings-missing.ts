// Probes of which nothing new came for longer than the rule of gaps allows, though our role may read them: they fail, or the server
// is not reached. Guards: a server that answers nothing is one finding, not forty; one run that failed is none.
import { greatest } from '../../kernel/lists.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { namesOf, type ProbeRun, placesOf } from './probe-runs.ts';
import { defineCheck, type Judgement, type Problem, unknown } from './types.ts';

const HOUR_SECONDS = 3600;
const REMEDY =
  '-- Check the log of the server. Then check that the monitoring role can log in, and how long it takes:\nselect current_user, now() - pg_postmaster_start_time() as up;';

/** Probes that run each second are late now and then. */
const LEAST_MS = 300_000;

const isMissing = ({ outcome, isCurrent, collected_at }: ProbeRun, now: number) =>
  !isCurrent && (collected_at === null ? outcome === 'failed' : now - collected_at >= LEAST_MS);

/** Seconds since the newest rows; null: there never were any. */
function ageOf(runs: readonly ProbeRun[], now: number): number | null {
  const newest = greatest(runs.flatMap(({ collected_at }) => collected_at ?? []));
  return Number.isFinite(newest) ? Math.max(0, now - newest) / 1000 : null;
}

/** What never worked may just have begun. */
const severityOf = (age: number | null) => (age !== null && age >= HOUR_SECONDS ? 'warning' : 'info');
const sinceOf = (age: number | null) => (age === null ? 'so far' : `for ${shownValue(age, 'seconds')}`);

function ofServer(all: readonly ProbeRun[], now: number): Judgement {
  const age = ageOf(all, now);
  const found: Problem = {
    database_name: '',
    object_name: '',
    severity: severityOf(age),
    message: `No data have been collected from this server ${sinceOf(age)}.`,
    figure: age === null ? null : { value: age, unit: 'seconds' },
    evidence: { probes: namesOf(all).length, seconds: age },
    remedy: REMEDY,
  };
  return { found: [found] };
}

function ofProbe(probe: string, runs: readonly ProbeRun[], now: number): Problem {
  const age = ageOf(runs, now);
  const reason = runs.find((run) => run.reason !== null)?.reason ?? 'Its runs failed.';
  return {
    database_name: '',
    object_name: probe,
    severity: severityOf(age),
    message: `Probe "${probe}" has collected no data ${sinceOf(age)}${placesOf(runs)}: ${reason}`,
    figure: age === null ? null : { value: age, unit: 'seconds' },
    evidence: { seconds: age, places: runs.length },
    rows: runs.map(({ database_name, reason: because }) => ({ database_name, reason: because })),
    remedy: REMEDY,
  };
}

const HIDDEN = '…';

/** The reason without the name of the place, where several probes share it in a place: what is wrong is the place. */
function sharedReasons(runs: readonly ProbeRun[]): Map<string, ProbeRun[]> {
  const inPlaces = Map.groupBy(
    runs.filter(({ reason, database_name }) => reason !== null && database_name !== ''),
    ({ database_name, reason }) => JSON.stringify([database_name, reason]),
  );
  const shared = [...inPlaces.values()].filter((own) => namesOf(own).length > 1).flat();
  return Map.groupBy(shared, ({ reason, database_name }) => (reason ?? '').replaceAll(database_name, HIDDEN));
}

function ofPlaces(key: string, runs: readonly ProbeRun[], now: number): Problem {
  const age = ageOf(runs, now);
  const places = [...new Set(runs.map(({ database_name }) => database_name))].toSorted();
  const [first = ''] = places;
  const where = places.length === 1 ? `database "${first}"` : `${places.length} databases`;
  return {
    database_name: '',
    object_name: places.length === 1 ? first : `${places.length} databases`,
    object_key: key,
    severity: severityOf(age),
    message: `No data have been collected from ${where} ${sinceOf(age)}: ${runs[0]?.reason ?? ''}`,
    figure: age === null ? null : { value: age, unit: 'seconds' },
    evidence: { seconds: age, databases: places.length, probes: namesOf(runs).length },
    rows: places.map((database_name) => ({
      database_name,
      reason: runs.find((run) => run.database_name === database_name)?.reason ?? null,
    })),
    remedy: REMEDY,
  };
}

export const check = defineCheck({
  name: 'readings_missing',
  category: 'coverage',
  title: 'Missing samples',
  figureName: 'without samples',
  meaning: 'Displayed values are outdated, its alerts are not evaluated, and charts have a gap.',
  advice: 'Fix the reported error.',
  caution: 'Use a blackout for planned downtime, or disable monitoring.',
  source: 'monitoring-stats.html',
  proof: 'measured',
  reads: {},
  ofRuns: true,
  judge: ({ runs, now }) => {
    if (!runs) return unknown('The state of its probes is unknown.');
    const read = runs.filter(({ outcome }) => outcome !== 'skipped');
    const missing = read.filter((run) => isMissing(run, now));
    if (missing.length === 0) return { found: [] };
    if (missing.length === read.length) return ofServer(missing, now);
    const byReason = sharedReasons(missing);
    const told = new Set([...byReason.values()].flat());
    const byProbe = Map.groupBy(
      missing.filter((run) => !told.has(run)),
      ({ probe }) => probe,
    );
    return {
      found: [
        ...[...byReason].map(([key, own]) => ofPlaces(key, own, now)),
        ...[...byProbe].map(([probe, own]) => ofProbe(probe, own, now)),
      ],
    };
  },
});
