// Logs without what one looks for afterwards.
import type { Facts } from './facts.ts';
import { ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, NOTHING } from './types.ts';

interface Silent {
  readonly value: string;
  readonly better: string;
  readonly hides: string;
}

const SILENT: Readonly<Record<string, Silent>> = {
  log_checkpoints: { value: 'off', better: 'on', hides: 'checkpoints' },
  log_lock_waits: { value: 'off', better: 'on', hides: 'long waits for locks' },
  log_temp_files: { value: '-1', better: '64MB', hides: 'temporary files' },
  log_autovacuum_min_duration: { value: '-1', better: '10min', hides: 'long runs of autovacuum' },
};

const silentOn = (facts: Facts): [string, Silent][] =>
  Object.entries(SILENT).filter(([name, { value }]) => ofServer(facts, name)?.text('setting') === value);

export const check = defineCheck({
  name: 'log_says_too_little',
  category: 'settings',
  title: 'The log does not tell what one will look for',
  meaning:
    'After an incident the log cannot say whether locks, checkpoints, temporary files or autovacuum were part of it.',
  advice: 'Let the server log them; on a server that is well these are few lines.',
  caution: 'The log becomes larger. Lines about locks and temporary files contain the text of statements.',
  source: 'runtime-config-logging.html#RUNTIME-CONFIG-LOGGING-WHAT',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const silent = silentOn(facts);
    if (silent.length === 0) return NOTHING;
    const what = silent.map(([, { hides }]) => hides).join(', ');
    return {
      found: [
        {
          database_name: '',
          object_name: '',
          severity: 'info',
          message: `The log says nothing of ${what}.`,
          figure: { value: silent.length, unit: 'count' },
          evidence: Object.fromEntries(silent.map(([name, { value }]) => [name, value])),
          remedy: settingRemedy(
            facts,
            Object.fromEntries(silent.map(([name, { better }]) => [name, better])),
          ),
        },
      ],
    };
  },
  figureAfter: (facts) => silentOn(facts).length,
});
