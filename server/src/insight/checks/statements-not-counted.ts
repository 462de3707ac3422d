// Servers that do not count what statements cost, so that nobody can tell what is slow.
import { CREATE_STATEMENTS } from '../../probes/requirements/dependencies.ts';
import type { Facts } from './facts.ts';
import { byReload } from './remedies.ts';
import { defineCheck, NOTHING, type Problem, unknown } from './types.ts';
import { literal } from './units.ts';

const LIBRARY = 'pg_stat_statements';
const RESTART = '-- Restart the server afterwards.';
const CREATE = CREATE_STATEMENTS.join('\n');

const librariesOf = (setting: string) =>
  setting
    .split(',')
    .map((one) => one.trim().replaceAll('"', ''))
    .filter((one) => one !== '');

const found = (message: string, remedy: string, evidence: Problem['evidence']): Problem => ({
  database_name: '',
  object_name: LIBRARY,
  severity: 'info',
  message,
  figure: null,
  evidence,
  remedy,
});

function notLoaded(libraries: readonly string[]): Problem {
  const wanted = [...libraries, LIBRARY].map(literal).join(', ');
  return found(
    'pg_stat_statements is not loaded, so statement costs are unknown.',
    `alter system set shared_preload_libraries = ${wanted};\n${RESTART}\n${CREATE}`,
    { shared_preload_libraries: libraries.join(', ') },
  );
}

/** Of our own role or session alone it says nothing of what others run: monitoring keeps itself out of what is counted. */
const OF_OURS = ['user', 'database user', 'client', 'session'];

function isOurs(facts: Facts, name: string): boolean {
  const row = facts.rows('pg_settings').find((item) => item.text('name') === name);
  return OF_OURS.includes(row?.text('source') ?? '');
}

function notTold(facts: Facts): Problem | undefined {
  const isInstalled = facts.rows('pg_extension').some((item) => item.text('extname') === LIBRARY);
  if (!isInstalled)
    return found(
      'pg_stat_statements is loaded, but its extension is missing in all monitored databases.',
      CREATE,
      { installed: false },
    );
  for (const [name, value] of [
    ['pg_stat_statements.track', 'top'],
    ['compute_query_id', 'auto'],
  ] as const) {
    const setting = facts.setting(name);
    if ((setting === 'none' || setting === 'off') && !isOurs(facts, name))
      return found(`${name} is ${setting}, so statements are not tracked.`, byReload(name, value), {
        [name]: setting,
      });
  }
  return undefined;
}

export const check = defineCheck({
  name: 'statements_not_counted',
  category: 'statements',
  title: 'pg_stat_statements missing',
  meaning: 'Without it, expensive statements and statements that became slower are unknown.',
  advice: 'Load pg_stat_statements, which ships with PostgreSQL, and create its extension.',
  caution: 'The server needs one restart. On a managed service, the setting is in the parameter group.',
  source: 'pgstatstatements.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting', 'source'], pg_extension: ['extname'] },
  judge: (facts) => {
    const setting = facts.setting('shared_preload_libraries');
    if (setting === undefined)
      return unknown(
        'The monitoring role lacks permission to read shared_preload_libraries.',
        'grant pg_monitor to the role that reads the server',
      );
    const libraries = librariesOf(setting);
    if (!libraries.some((one) => one.split('/').at(-1) === LIBRARY)) return { found: [notLoaded(libraries)] };
    const one = notTold(facts);
    return one ? { found: [one] } : NOTHING;
  },
});
