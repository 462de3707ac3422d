// Statements that are called very often and do next to nothing: the way to the server and back costs more than they do.
import { countAnew, judgeEach, ofStatement, percentOf, readsOf, type Statement } from './statements.ts';
import { defineCheck, type Problem } from './types.ts';

const LEAST_PER_SECOND = 500;
const LEAST_CALLS = 1_000_000;
const MOST_MEAN_MS = 0.5;
const MOST_ROWS = 2;
/** Of all calls. */
const LEAST_SHARE = 0.3;

function foundOf(statement: Statement, { all, now }: { all: number; now: number }): Problem | [] {
  const { item, calls, mean, queryid, since } = statement;
  const per_second = calls / ((now - since) / 1000);
  const rows = (item.number('rows') ?? 0) / calls;
  const share = calls / Math.max(all, calls);
  if (calls < LEAST_CALLS || per_second < LEAST_PER_SECOND || share < LEAST_SHARE) return [];
  if (mean > MOST_MEAN_MS || rows > MOST_ROWS) return [];
  const common = ofStatement(statement);
  return {
    ...common,
    // It is a way to be faster, not an evil.
    severity: 'info',
    message: `The statement ${queryid} is ${percentOf(share)} % of all calls, ${Math.round(per_second)} each second on average, and takes ${Math.round(mean * 1000)} µs for ${Math.round(rows * 10) / 10} rows.`,
    figure: { value: per_second, unit: 'count' },
    evidence: {
      ...common.evidence,
      calls_per_second: Math.round(per_second),
      rows_per_call: Math.round(rows * 100) / 100,
      percent_of_calls: percentOf(share),
    },
    remedy: [
      '-- In the application: ask for many at once, such as where id = any ($1), join instead of asking row by row,',
      '-- or keep what hardly ever changes.',
      countAnew(statement),
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'statement_chatty',
  category: 'statements',
  title: 'Statement that is called too often',
  meaning:
    'The application waits mostly for the network, and the server parses and plans the same again and again.',
  advice: 'Ask for many rows at once.',
  caution: 'Where each call answers a request of its own, it is as it should be.',
  source: 'pgstatstatements.html',
  proof: 'measured',
  reads: readsOf(['rows']),
  judge: (facts) => {
    const all = facts.rows('pg_stat_statements').reduce((sum, item) => sum + (item.number('calls') ?? 0), 0);
    return judgeEach(facts, (one) => foundOf(one, { all, now: facts.now }));
  },
});
