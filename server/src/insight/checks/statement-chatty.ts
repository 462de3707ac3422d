// Statements that are called very often and do next to nothing: the way to the server and back costs more than they do.
import { wholeNumber } from '../../kernel/shown-value.ts';
import {
  countAnew,
  judgeEach,
  ofStatement,
  percentOf,
  readsOf,
  type Statement,
  sentStatements,
} from './statements.ts';
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
    message: `Statement ${queryid} makes ${percentOf(share)} % of all calls, ${wholeNumber(per_second)} per second on average. Each takes ${Math.round(mean * 1000)} µs for ${Math.round(rows * 10) / 10} rows.`,
    figure: { value: per_second, unit: 'count' },
    evidence: {
      ...common.evidence,
      calls_per_second: Math.round(per_second),
      rows_per_call: Math.round(rows * 100) / 100,
      percent_of_calls: percentOf(share),
    },
    remedy: [
      '-- In the application: request many rows at once, such as where id = any ($1), join instead of one query per row,',
      '-- or cache data that rarely change.',
      countAnew(statement),
    ].join('\n'),
  };
}

export const check = defineCheck({
  name: 'statement_chatty',
  category: 'statements',
  title: 'Statement called too often',
  figureName: 'calls per second',
  meaning:
    'The application mostly waits for the network, and the server parses and plans the same statement repeatedly.',
  advice: 'Request many rows at once.',
  caution: 'If each call serves a separate request, this is fine.',
  source: 'pgstatstatements.html',
  proof: 'measured',
  reads: readsOf(['rows']),
  judge: (facts) => {
    const all = sentStatements(facts).reduce((sum, item) => sum + (item.number('calls') ?? 0), 0);
    return judgeEach(facts, (one) => foundOf(one, { all, now: facts.now }));
  },
});
