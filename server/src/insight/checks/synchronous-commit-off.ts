// A server that confirms transactions before they are on disk.
import { aboutSetting, hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'synchronous_commit_off',
  category: 'settings',
  title: 'synchronous_commit disabled globally',
  meaning: 'A crash can lose transactions confirmed shortly before. Data stay consistent.',
  advice: 'Turn it on for the server, and off only for roles or transactions that tolerate loss.',
  caution: 'Each commit then waits for the disk, which slows down many small transactions.',
  source: 'runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT',
  proof: 'stated',
  where: 'primary',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    if (ofServer(facts, 'synchronous_commit')?.text('setting') !== 'off')
      return { found: [], unknown: hiddenSettings(facts, ['synchronous_commit']) };
    const delay = (facts.settingSeconds('wal_writer_delay') ?? 0.2) * 3000;
    return aboutSetting('synchronous_commit', {
      severity: 'warning',
      message: `synchronous_commit is off. A crash can lose commits of the last ${Math.round(delay)} ms.`,
      figure: null,
      evidence: {
        synchronous_commit: 'off',
        wal_writer_delay: facts.setting('wal_writer_delay') ?? null,
      },
      remedy: settingRemedy(facts, { synchronous_commit: 'on' }),
    });
  },
});
