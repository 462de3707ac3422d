// Settings for saving what can be saved of a damaged database, left on.
import type { Severity } from '../../alerting/rules/types.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, type Problem } from './types.ts';

const DANGEROUS: Readonly<Record<string, { does: string; severity: Severity }>> = {
  zero_damaged_pages: {
    does: 'corrupt pages are replaced by empty ones, losing their rows',
    severity: 'critical',
  },
  ignore_checksum_failure: { does: 'corrupt pages are read as if valid', severity: 'critical' },
  ignore_invalid_pages: { does: 'recovery ignores corruption and continues', severity: 'critical' },
  ignore_system_indexes: { does: 'the system catalogs are read without their indexes', severity: 'warning' },
};
const NAMES = Object.keys(DANGEROUS);

export const check = defineCheck({
  name: 'recovery_settings_on',
  category: 'settings',
  title: 'Data recovery setting left on',
  meaning: 'It is meant for rescuing data from a corrupt database. Left on, it hides or worsens corruption.',
  advice: 'Turn it off, and check the log for hidden corruption.',
  caution: 'Queries that read corrupt pages fail again, which makes the corruption visible.',
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
          message: `${name} is on: ${danger.does}.`,
          figure: null,
          evidence: { [name]: 'on' },
          remedy: settingRemedy(facts, { [name]: 'off' }),
        },
      ];
    }),
    unknown: hiddenSettings(facts, NAMES),
  }),
});
