// Databases whose oldest transaction id is not frozen in time.
import { rule as critical } from '../../alerting/rules/transaction-wraparound.ts';
import { rule as high } from '../../alerting/rules/xid-age-high.ts';
import { defineCheck } from './types.ts';
import { type Ages, ageAfter, oldAges, WRAPAROUND_READS, WRAPAROUND_USES } from './wraparound.ts';

const AGES: Ages = {
  what: 'unfrozen transaction',
  percent: 'xid_percent',
  age: 'xid_age',
  of: 'relfrozenxid_age',
  warning: high.threshold,
  critical: critical.threshold,
  unit: 'transactions',
};

export const check = defineCheck({
  name: 'transaction_ids_run_out',
  category: 'storage',
  title: critical.title,
  figureName: 'of the limit',
  meaning: critical.meaning,
  advice: critical.remedy,
  caution:
    'Vacuum reads every unfrozen table and writes what it freezes. On a large database, this generates much WAL. The work of an ended transaction is lost.',
  source: 'routine-vacuuming.html#VACUUM-FOR-WRAPAROUND',
  proof: 'stated',
  where: 'primary',
  reads: WRAPAROUND_READS,
  uses: WRAPAROUND_USES,
  judge: (facts) => oldAges(facts, AGES),
  figureAfter: (facts, { database_name }) => ageAfter(facts, AGES, database_name),
});
