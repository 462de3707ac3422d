// A server that counts what it reads and not how long that takes.
import { aboutSetting, hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'io_timing_off',
  category: 'settings',
  title: 'track_io_timing disabled',
  meaning: 'Without I/O times, disk waits of slow statements and the disk latency are unknown.',
  advice: 'Turn track_io_timing on.',
  caution: 'It reads the clock twice for each read. pg_test_timing shows the cost on the host.',
  source: 'runtime-config-statistics.html#GUC-TRACK-IO-TIMING',
  proof: 'stated',
  reads: { pg_settings: SETTING_COLUMNS },
  judge: (facts) => {
    const row = ofServer(facts, 'track_io_timing');
    if (row?.text('setting') !== 'off')
      return { found: [], unknown: hiddenSettings(facts, ['track_io_timing']) };
    return aboutSetting('track_io_timing', {
      severity: 'info',
      message: 'track_io_timing is off, so I/O times are unknown.',
      figure: null,
      evidence: { track_io_timing: 'off' },
      remedy: settingRemedy(facts, { track_io_timing: 'on' }),
    });
  },
});
