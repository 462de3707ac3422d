// Databases whose oldest multixact id is not removed in time.
import { rule as high } from '../../alerting/rules/multixact-age-high.ts';
import { rule as critical } from '../../alerting/rules/multixact-wraparound.ts';
import { defineCheck } from './types.ts';
import { type Ages, ageAfter, oldAges, WRAPAROUND_READS, WRAPAROUND_USES } from './wraparound.ts';

const AGES: Ages = {
  what: 'multixact ID',
  percent: 'mxid_percent',
  age: 'mxid_age',
  of: 'relminmxid_age',
  warning: high.threshold,
  critical: critical.threshold,
  unit: 'multixacts',
};

export const check = defineCheck({
  name: 'multixact_ids_run_out',
  category: 'storage',
  title: critical.title,
  figureName: 'of the limit',
  meaning: critical.meaning,
  advice: critical.remedy,
  caution:
    'Vacuum reads every unfrozen table and writes what it freezes. On a large database, this generates much WAL. The work of an ended transaction is lost.',
  source: 'routine-vacuuming.html#VACUUM-FOR-MULTIXACT-WRAPAROUND',
  proof: 'stated',
  where: 'primary',
  reads: WRAPAROUND_READS,
  uses: WRAPAROUND_USES,
  judge: (facts) => oldAges(facts, AGES),
  figureAfter: (facts, { database_name }) => ageAfter(facts, AGES, database_name),
});
