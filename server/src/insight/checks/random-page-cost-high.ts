// Planners that take random reads for dear on storage where they are not. Guards: judged by reads that were timed, and without
// those of large scans, which the operating system reads ahead.
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts } from './facts.ts';
import { hiddenSettings, ofServer, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

const LEAST_READS = 10_000;
/** A disk that turns takes some milliseconds. */
const FAST_MS = 1;
const MEANT_FOR_DISKS = 4;

function timedReads(facts: Facts) {
  const rows = facts
    .rows('pg_stat_io')
    .filter(
      (row) =>
        row.text('backend_type') === 'client backend' &&
        row.text('object') === 'relation' &&
        row.text('context') === 'normal',
    );
  const sum = (column: string) => rows.reduce((all, row) => all + (row.number(column) ?? 0), 0);
  return { reads: sum('reads'), time: sum('read_time') };
}

export const check = defineCheck({
  name: 'random_page_cost_high',
  category: 'settings',
  title: 'random_page_cost is tuned for spinning disks',
  figureName: 'random_page_cost',
  meaning: 'The planner avoids indexes that would be faster on this storage.',
  advice: 'Set it near seq_page_cost.',
  caution: 'Plans change everywhere. Data in the operating system cache are fast even on slow disks.',
  source: 'runtime-config-query.html#GUC-RANDOM-PAGE-COST',
  proof: 'measured',
  reads: {
    pg_settings: SETTING_COLUMNS,
    pg_stat_io: ['backend_type', 'object', 'context', 'reads', 'read_time'],
  },
  judge: (facts) => {
    const row = ofServer(facts, 'random_page_cost');
    const cost = row?.number('setting') ?? null;
    if (cost === null) return { found: [], unknown: hiddenSettings(facts, ['random_page_cost']) };
    if (cost < MEANT_FOR_DISKS * (facts.settingNumber('seq_page_cost') ?? 1)) return NOTHING;
    if (!facts.isOn('track_io_timing'))
      return unknown(
        'track_io_timing is off, so read times are unknown.',
        'alter system set track_io_timing = on;\nselect pg_reload_conf();',
      );
    const { reads, time } = timedReads(facts);
    if (reads < LEAST_READS)
      return unknown(
        `${wholeNumber(reads)} reads were timed. At least ${wholeNumber(LEAST_READS)} are needed.`,
      );
    const mean = time / reads;
    if (mean >= FAST_MS) return NOTHING;
    return foundOnServer({
      object_name: 'random_page_cost',
      severity: 'info',
      message: `Mean read time is ${shownValue(mean, 'ms')} over ${wholeNumber(reads)} reads. random_page_cost is ${cost}, a value for spinning disks.`,
      figure: { value: cost, unit: '', promised: 1.1 },
      evidence: { reads, read_time: time, random_page_cost: cost },
      remedy: settingRemedy(facts, { random_page_cost: '1.1' }),
    });
  },
  figureAfter: (facts) => facts.settingNumber('random_page_cost') ?? null,
});
