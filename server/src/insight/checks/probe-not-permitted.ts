// Probes that our role may not read, in whole or in part, with all the grants that would mend it. Guards: a server has one such
// finding, however many probes, databases and grants it is about, and one block of SQL that mends it.
import { inertLine } from '../../kernel/inert-text.ts';
import { namesOf, type ProbeRun, placesOf } from './probe-runs.ts';
import { defineCheck, type Problem, unknown } from './types.ts';
import { quoted } from './units.ts';

const CAUSES: ReadonlySet<string | null> = new Set(['missing_grant', 'masked']);
/** So many probes at once are a role that was never set up for this. */
const MANY_PROBES = 5;
/** The evidence names all of them. */
const MOST_NAMED = 5;
const OF_THE_SERVER = 'privileges';

/** A grant, and where it is to be run if that is some of the databases. */
function stepOf(mend: string, runs: readonly ProbeRun[]): string {
  const names = [...new Set(runs.flatMap(({ database_name }) => database_name || []))];
  if (names.length === 0) return mend;
  const shown = names.slice(0, MOST_NAMED).map(quoted).join(', ');
  const others = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} others` : '';
  return `-- ${inertLine(`In ${names.length === 1 ? 'database' : 'each of the databases'} ${shown}${others}`)}:\n${mend}`;
}

/** Each grant once, those first that are of no single database. */
function remedyOf(byMend: ReadonlyMap<string, readonly ProbeRun[]>): string {
  const steps = [...byMend].map(([mend, runs]) => stepOf(mend, runs));
  return steps.toSorted((a, b) => Number(a.startsWith('--')) - Number(b.startsWith('--'))).join('\n');
}

const isPartial = ({ outcome }: ProbeRun) => outcome === 'ran';

function foundOf(runs: readonly ProbeRun[]): Problem {
  const names = namesOf(runs);
  const shown =
    names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} and others` : names.join(', ');
  const which = names.length > 1 ? `${names.length} probes (${shown})` : `Probe "${names[0]}"`;
  const verb = { one: 'reads only partial data', many: 'read only partial data' };
  const partial = names.length > 1 ? verb.many : verb.one;
  const said = runs.every(isPartial)
    ? partial
    : runs.some(isPartial)
      ? 'cannot be read in full'
      : 'cannot be read';
  const byMend = Map.groupBy(runs, ({ mend }) => mend ?? '');
  const reason = runs[0]?.reason ?? 'the monitoring role lacks permission.';
  return {
    database_name: '',
    object_name: names.length > 1 ? `${names.length} probes` : (names[0] ?? ''),
    object_key: OF_THE_SERVER,
    severity: names.length >= MANY_PROBES ? 'warning' : 'info',
    message: `${which} ${said}${placesOf(runs)}${byMend.size === 1 ? `: ${reason}` : '. The evidence names each missing privilege.'}`,
    figure: { value: names.length, unit: 'count' },
    evidence: { probes: names.join(', '), places: runs.length },
    rows: runs.map(({ probe, database_name, reason }) => ({ probe, database_name, reason })),
    remedy: remedyOf(byMend),
  };
}

const lackingOf = (runs: readonly ProbeRun[]) =>
  runs.filter(({ cause, mend }) => CAUSES.has(cause) && mend !== null);

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
    const lacking = lackingOf(runs);
    return { found: lacking.length === 0 ? [] : [foundOf(lacking)] };
  },
  figureAfter: ({ runs = [] }) => namesOf(lackingOf(runs)).length,
});
