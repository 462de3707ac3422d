// Index-only scans that have to look into the table after all.
import { shownNumber } from '../shown-figures.ts';
import { defineAdvice, relationOf, shareOf } from './types.ts';

const FEWEST = 1000;
const WORTH_SHARE = 0.2;

export const advice = defineAdvice({
  name: 'heap_fetches',
  title: 'Many heap fetches of an index-only scan',
  meaning: 'Pages are not marked as all visible, so each row is looked up in the table.',
  action: 'Vacuum the table; if it happens again, let autovacuum vacuum it more often.',
  judge(node, facts) {
    const { heap_fetches: fetches, total_rows: rows } = node;
    const relation = relationOf(node);
    if (fetches === null || rows === null || relation === null || fetches < FEWEST) return undefined;
    if (fetches < WORTH_SHARE * rows) return undefined;
    return {
      evidence: `${shownNumber(rows)} rows of the index took ${shownNumber(fetches)} fetches from the table.`,
      remedy: `vacuum ${relation};`,
      weight: shareOf(node, facts),
    };
  },
});
