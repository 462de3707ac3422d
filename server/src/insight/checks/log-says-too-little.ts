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
  log_lock_waits: { value: 'off', better: 'on', hides: 'lock waits' },
  log_temp_files: { value: '-1', better: '64MB', hides: 'temporary files' },
  log_autovacuum_min_duration: { value: '-1', better: '10min', hides: 'slow autovacuum runs' },
};

const silentOn = (facts: Facts): [string, Silent][] =>
  Object.entries(SILENT).filter(([name, { value }]) => ofServer(facts, name)?.text('setting') === value);

export const check = defineCheck({
  name: 'log_says_too_little',
  category: 'settings',
  title: 'Logging is too sparse for troubleshooting',
  figureName: 'events not logged',
  meaning:
    'After an incident, the log cannot show whether locks, checkpoints, temporary files or autovacuum were involved.',
  advice: 'Enable this logging. On a healthy server it adds few lines.',
  caution: 'The log grows. Lines about locks and temporary files contain statement texts.',
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
          message: `Not logged: ${what}.`,
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
