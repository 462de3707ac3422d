// Statements that go through very many blocks for each row that they return or change.
import { shownValue, wholeNumber } from '../../kernel/shown-value.ts';
import type { Facts } from './facts.ts';
import {
  countAnew,
  judgeEach,
  ofStatement,
  percentOf,
  readsOf,
  type Statement,
  showText,
} from './statements.ts';
import { defineCheck, type Problem } from './types.ts';

const LEAST_CALLS = 100;
const LEAST_MEAN_MS = 2;
const LEAST_SHARE = 0.1;
/** An index leads to a row by some four blocks; joins take a few times that. */
const LEAST_BLOCKS_PER_ROW = 1000;
const NOTABLE_SHARE = 0.5;
const NOTABLE_CALLS = 10_000;

function foundOf(facts: Facts, statement: Statement): Problem | [] {
  const { item, calls, mean, share, queryid } = statement;
  if (calls < LEAST_CALLS || mean < LEAST_MEAN_MS || share < LEAST_SHARE) return [];
  const blocks = (item.number('shared_blks_hit') ?? 0) + (item.number('shared_blks_read') ?? 0);
  const rows = item.number('rows') ?? 0;
  // A call without rows had to look as well.
  const per_row = blocks / Math.max(rows, calls);
  if (per_row < LEAST_BLOCKS_PER_ROW) return [];
  const common = ofStatement(statement);
  const bytes = (blocks / calls) * (facts.settingNumber('block_size') ?? 8192);
  return {
    ...common,
    severity: share >= NOTABLE_SHARE && calls >= NOTABLE_CALLS ? 'warning' : 'info',
    message: `Statement ${queryid} reads ${wholeNumber(per_row)} blocks per row, ${shownValue(bytes, 'bytes')} per call, in ${wholeNumber(calls)} calls. It takes ${percentOf(share)} % of all time.`,
    figure: { value: blocks / calls, unit: 'blocks' },
    evidence: {
      ...common.evidence,
      rows,
      blocks_per_row: Math.round(per_row),
      blocks_per_call: Math.round(blocks / calls),
    },
    remedy: [
      '-- Check its plan (explain (generic_plan) from 16 on), then create the missing index:',
      showText(statement),
      countAnew(statement),
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'statement_reads_much',
  category: 'statements',
  title: 'Many blocks read per row',
  figureName: 'blocks per call',
  meaning: 'Usually an index is missing, and most rows read are discarded.',
  advice: 'Check its plan, and create the missing index.',
  caution: 'Aggregates over many rows must read them. An index-only scan or a summary table may help.',
  source: 'using-explain.html',
  proof: 'measured',
  reads: { ...readsOf(['rows', 'shared_blks_hit', 'shared_blks_read']), pg_settings: ['name', 'setting'] },
  judge: (facts) => judgeEach(facts, (one) => foundOf(facts, one)),
});
