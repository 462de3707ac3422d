// Logs without what one looks for afterwards, as one finding with all of it. Guards: of what the server writes as CSV or JSON, the prefix
// is not judged, since these have every field; slow statements are logged as well where auto_explain logs their plans.
import type { Facts } from './facts.ts';
import { ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

interface Silent {
  readonly name: string;
  readonly value: string;
  readonly better: string;
  readonly hides: string;
}

/** Values with which each logs nothing. */
const SILENT: readonly (Omit<Silent, 'value'> & { readonly values: readonly string[] })[] = [
  { name: 'log_checkpoints', values: ['off'], better: 'on', hides: 'checkpoints' },
  { name: 'log_lock_waits', values: ['off'], better: 'on', hides: 'lock waits' },
  { name: 'log_temp_files', values: ['-1'], better: '64MB', hides: 'temporary files' },
  { name: 'log_autovacuum_min_duration', values: ['-1'], better: '10min', hides: 'slow autovacuum runs' },
  // Of its own since 19.
  { name: 'log_autoanalyze_min_duration', values: ['-1'], better: '10min', hides: 'slow autoanalyze runs' },
  // A list since 18, where it is empty.
  { name: 'log_connections', values: ['off', ''], better: 'on', hides: 'connections' },
];

const settingOf = (facts: Facts, name: string) => ofServer(facts, name)?.text('setting') ?? undefined;

const logs = (facts: Facts, name: string) => Number(settingOf(facts, name) ?? '-1') >= 0;

/** By their duration, whichever way. */
function slowStatements(facts: Facts): Silent[] {
  const name = 'log_min_duration_statement';
  const value = settingOf(facts, name);
  const others = ['log_min_duration_sample', 'auto_explain.log_min_duration'];
  const isOn = others.some((one) => logs(facts, one)) || settingOf(facts, 'log_duration') === 'on';
  return value === '-1' && !isOn ? [{ name, value, better: '5s', hides: 'slow statements' }] : [];
}

function recoveryWaits(facts: Facts): Silent[] {
  const name = 'log_recovery_conflict_waits';
  const value = settingOf(facts, name);
  if (facts.isStandby !== true || value !== 'off') return [];
  return [{ name, value, better: 'on', hides: 'waits of recovery for queries' }];
}

const ESCAPES: readonly (readonly [RegExp, string])[] = [
  [/%-?\d*[mnt]/, 'time'],
  [/%-?\d*[pc]/, 'process'],
  [/%-?\d*u/, 'user'],
  [/%-?\d*d/, 'database'],
  [/%-?\d*a/, 'application'],
  [/%-?\d*e/, 'SQLSTATE'],
];
const PREFIX = 'log_line_prefix';
/** With every field above; after %q nothing is written of processes without a session. */
const WHOLE_PREFIX = '%m [%p] %e %q%u@%d/%a ';

/** What lines of text do not say of where they come from. */
function linePrefix(facts: Facts): Silent[] {
  const name = PREFIX;
  const value = settingOf(facts, name);
  const isText = /stderr|syslog|eventlog/.test(settingOf(facts, 'log_destination') ?? '');
  if (value === undefined || !isText) return [];
  const said = value.replaceAll('%%', '');
  const lacks = ESCAPES.flatMap(([pattern, what]) => (pattern.test(said) ? [] : [what]));
  if (lacks.length === 0) return [];
  return [{ name, value, better: WHOLE_PREFIX, hides: lacks.join(', ') }];
}

const silentOn = (facts: Facts): Silent[] => [
  ...SILENT.flatMap(({ name, values, better, hides }) => {
    const value = settingOf(facts, name);
    return value !== undefined && values.includes(value) ? [{ name, value, better, hides }] : [];
  }),
  ...slowStatements(facts),
  ...recoveryWaits(facts),
  ...linePrefix(facts),
];

export const check = defineCheck({
  name: 'log_says_too_little',
  category: 'settings',
  title: 'Logging is too sparse for troubleshooting',
  figureName: 'log settings to change',
  meaning:
    'After an incident, the log cannot show what was involved: locks, checkpoints, temporary files, autovacuum, slow statements, or whose sessions.',
  advice: 'Enable what you want to see afterwards. Each statement of the remedy can be run alone.',
  caution:
    'The log grows: log_connections adds two or three lines for each new connection. Lines about statements, locks and temporary files contain statement texts.',
  source: 'runtime-config-logging.html#RUNTIME-CONFIG-LOGGING-WHAT',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  uses: { pg_server_info: ['is_in_recovery'] },
  judge: (facts) => {
    const silent = silentOn(facts);
    if (silent.length === 0) return NOTHING;
    const isOfLines = ({ name }: Silent) => name === PREFIX;
    const told = [
      ['Not logged', silent.filter((one) => !isOfLines(one))],
      ['Lines lack', silent.filter(isOfLines)],
    ] as const;
    const message = told
      .filter(([, own]) => own.length > 0)
      .map(([words, own]) => `${words}: ${own.map(({ hides }) => hides).join(', ')}.`)
      .join(' ');
    return foundOnServer({
      severity: 'info',
      message,
      figure: { value: silent.length, unit: 'count' },
      evidence: Object.fromEntries(silent.map(({ name, value }) => [name, value])),
      remedy: settingRemedy(facts, Object.fromEntries(silent.map(({ name, better }) => [name, better]))),
    });
  },
  figureAfter: (facts) => silentOn(facts).length,
});
