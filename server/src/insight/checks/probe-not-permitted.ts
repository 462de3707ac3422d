// Probes that our role may not read, in whole or in part, with the grants that would mend it. Guards: what one grant mends is one
// finding, however many probes and databases it is about.
import { namesOf, type ProbeRun, placesOf } from './probe-runs.ts';
import { defineCheck, type Problem, unknown } from './types.ts';

const CAUSES: ReadonlySet<string | null> = new Set(['missing_grant', 'masked']);
/** So many probes at once are a role that was never set up for this. */
const MANY_PROBES = 5;
/** The evidence names all of them. */
const MOST_NAMED = 5;

function foundOf(mend: string, runs: readonly ProbeRun[]): Problem {
  const names = namesOf(runs);
  const hidden = runs.filter(({ outcome }) => outcome === 'ran').length;
  const shown =
    names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} and others` : names.join(', ');
  const which = names.length > 1 ? `${names.length} probes (${shown})` : `Probe "${names[0]}"`;
  const said = hidden === runs.length ? 'read only partial data' : 'cannot be read';
  const words = names.length > 1 || said === 'cannot be read' ? said : 'reads only partial data';
  return {
    database_name: '',
    object_name: names.length > 1 ? `${names.length} probes` : (names[0] ?? ''),
    object_key: mend,
    severity: names.length >= MANY_PROBES ? 'warning' : 'info',
    message: `${which} ${words}${placesOf(runs)}: ${runs[0]?.reason ?? 'the monitoring role lacks permission.'}`,
    figure: { value: names.length, unit: 'count' },
    evidence: { probes: names.join(', '), places: runs.length },
    rows: runs.map(({ probe, database_name, reason }) => ({ probe, database_name, reason })),
    remedy: mend,
  };
}

export const check = defineCheck({
  name: 'probe_not_permitted',
  category: 'coverage',
  title: 'Missing privileges of the monitoring role',
  figureName: 'probes affected',
  meaning: 'Checks and alerts that need these data cannot be evaluated.',
  advice: 'Grant the missing privileges to the monitoring role. It stays read-only.',
  caution:
    'The grant shows more of the server to the monitoring role. With pg_read_all_stats, it also sees statements of other users.',
  source: 'predefined-roles.html',
  proof: 'stated',
  reads: {},
  ofRuns: true,
  judge: ({ runs }) => {
    if (!runs) return unknown('The state of its probes is unknown.');
    const lacking = runs.filter(({ cause, mend }) => CAUSES.has(cause) && mend !== null);
    const byMend = Map.groupBy(lacking, ({ mend }) => mend ?? '');
    return { found: [...byMend].map(([mend, own]) => foundOf(mend, own)) };
  },
  figureAfter: ({ runs = [] }, { object_key }) =>
    namesOf(runs.filter(({ mend }) => mend === object_key)).length,
});
