// Settings for saving what can be saved of a damaged database, left on.
import type { Severity } from '../../alerting/rules/types.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem } from './types.ts';

const DANGEROUS: Readonly<Record<string, { does: string; severity: Severity }>> = {
  zero_damaged_pages: {
    does: 'damaged pages are replaced by empty ones, with their rows',
    severity: 'critical',
  },
  ignore_checksum_failure: { does: 'damaged pages are read as if they were right', severity: 'critical' },
  ignore_invalid_pages: { does: 'recovery passes over damage and goes on', severity: 'critical' },
  ignore_system_indexes: { does: 'the catalogs are read without their indexes', severity: 'warning' },
};
const NAMES = Object.keys(DANGEROUS);

export const check = defineCheck({
  name: 'recovery_settings_on',
  category: 'settings',
  title: 'A setting for rescuing damaged databases is on',
  meaning:
    'It is meant for rescuing data from a damaged database; left on, it hides damage or makes it worse.',
  advice: 'Switch it off, and look in the log for damage that it has hidden.',
  caution: 'Queries that read damaged pages fail again, which is how one learns of them.',
  source: 'runtime-config-developer.html',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => ({
    found: NAMES.flatMap((name): Problem[] => {
      const danger = DANGEROUS[name];
      if (!danger || ofServer(facts, name)?.text('setting') !== 'on') return [];
      return [
        {
          database_name: '',
          object_name: name,
          severity: danger.severity,
          message: `The server runs with ${name} = on: ${danger.does}.`,
          figure: null,
          evidence: { [name]: 'on' },
          remedy: settingRemedy(facts, { [name]: 'off' }),
        },
      ];
    }),
    unknown: hiddenSettings(facts, NAMES),
  }),
});
