// Servers whose checkpoints come because of much WAL, before it is time. Guards: so many that it is no chance, in whichever time.

import { rule } from '../../alerting/rules/checkpoints-forced.ts';
import { shownValue } from '../../kernel/shown-value.ts';
import { countedBriefly, countedFrom, countedWords, isCountedBriefly, SINCE_UNKNOWN } from './counted.ts';
import type { Facts } from './facts.ts';
import { inMegabytes, SETTING_COLUMNS, settingRemedy } from './server-setting.ts';
import { defineCheck, foundOnServer, NOTHING, unknown } from './types.ts';

const LEAST = 24;

function counted(facts: Facts) {
  const row = facts.row('pg_stat_checkpointer');
  const timed = row?.number('num_timed') ?? 0;
  const requested = row?.number('num_requested') ?? 0;
  const since = row?.time('stats_reset') ?? null;
  return { timed, requested, since, percent: (100 * requested) / Math.max(1, timed + requested) };
}

/** Up to 16 a server that was a standby once has counted restartpoints with checkpoints, and does not say until when. */
const wasStandby = (facts: Facts) =>
  facts.versionNum < 170_000 && (facts.row('pg_node_role')?.number('timeline_id') ?? 1) > 1;

export const check = defineCheck({
  name: 'max_wal_size_small',
  category: 'settings',
  title: 'max_wal_size too small for the write load',
  figureName: 'of all checkpoints',
  meaning: rule.meaning,
  advice: rule.remedy,
  caution:
    'pg_wal takes that much more disk, and crash recovery takes longer. The second statement resets the counters, so that the effect shows.',
  source: 'wal-configuration.html',
  proof: 'measured',
  where: 'primary',
  reads: {
    pg_stat_checkpointer: ['num_timed', 'num_requested', 'stats_reset'],
    pg_settings: SETTING_COLUMNS,
  },
  uses: { pg_node_role: ['timeline_id'] },
  judge: (facts) => {
    const { timed, requested, since, percent } = counted(facts);
    const size = facts.settingBytes('max_wal_size');
    if (since === null || size === undefined) return unknown(SINCE_UNKNOWN);
    const span = countedFrom(since, facts.now);
    if (requested < LEAST || percent <= rule.threshold)
      return isCountedBriefly(span) ? { found: [], unknown: [countedBriefly('Checkpoints', span)] } : NOTHING;
    const what = facts.versionNum >= 170_000 ? 'checkpointer' : 'bgwriter';
    const mixed = wasStandby(facts) ? ' Those from before a promotion were restartpoints.' : '';
    const remedy = settingRemedy(facts, { max_wal_size: inMegabytes(2 * size) });
    return foundOnServer({
      object_name: 'max_wal_size',
      severity: rule.severity,
      message: `${shownValue(percent, 'percent')} of ${timed + requested} checkpoints were requested before checkpoint_timeout ${countedWords(span)}. max_wal_size is ${shownValue(size, 'bytes')}.${mixed}`,
      figure: { value: percent, unit: 'percent' },
      evidence: { num_timed: timed, num_requested: requested, max_wal_size: size },
      remedy: `${remedy}\nselect pg_stat_reset_shared('${what}');`,
      since,
    });
  },
  figureAfter: (facts) => counted(facts).percent,
});
