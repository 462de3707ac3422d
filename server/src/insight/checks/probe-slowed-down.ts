// Probes that run less often than they are set to, because reading the server would cost more than the budget. Guards: a probe that
// waits twice as long is what the budget is for; only more than that makes figures coarse enough to be told.
import { shownValue } from '../../kernel/shown-value.ts';
import type { ProbeRun } from './probe-runs.ts';
import { defineCheck, type Problem, unknown } from './types.ts';

const LEAST_FACTOR = 4;
const NOTABLE_FACTOR = 16;

const factorOf = ({ interval, intervalSet }: ProbeRun) =>
  interval !== null && intervalSet ? interval / intervalSet : 1;

function foundOf(run: ProbeRun): Problem {
  const { probe, interval, intervalSet, slowedBecause } = run;
  const factor = factorOf(run);
  const [now, set] = [interval, intervalSet].map((seconds) =>
    seconds === null ? 'unknown' : shownValue(seconds, 'seconds'),
  );
  return {
    database_name: '',
    object_name: probe,
    severity: factor >= NOTABLE_FACTOR ? 'warning' : 'info',
    message: `Probe "${probe}" runs every ${now} instead of every ${set}. ${slowedBecause ?? ''}`.trim(),
    figure: { value: factor, unit: '', promised: 1 },
    evidence: { interval_seconds: interval, set_interval_seconds: intervalSet, note: slowedBecause },
    remedy: [
      '# In the configuration of Matriarch: twice the default, in percent of one CPU core of the server:',
      'collector.budget_percent = 1',
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'probe_slowed_down',
  category: 'coverage',
  title: 'Throttled probes',
  figureName: 'times slower',
  meaning: 'Charts are coarser, and short incidents may be missed.',
  advice: 'Raise the collection budget of the server, or run expensive probes less often.',
  caution: 'A larger budget uses more CPU of every monitored server.',
  source: 'monitoring-stats.html',
  proof: 'measured',
  reads: {},
  ofRuns: true,
  judge: ({ runs }) => {
    if (!runs) return unknown('The state of its probes is unknown.');
    const slowed = runs.filter((run) => run.slowedBecause !== null && factorOf(run) >= LEAST_FACTOR);
    const byProbe = new Map(slowed.map((run) => [run.probe, run]));
    return { found: [...byProbe.values()].map(foundOf) };
  },
  figureAfter: ({ runs = [] }, { object_key }) => {
    const run = runs.find(({ probe }) => probe === object_key);
    return run ? factorOf(run) : null;
  },
});
