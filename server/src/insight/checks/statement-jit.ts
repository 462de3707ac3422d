// Statements that are compiled for longer than it can save.
import { shownValue } from '../../kernel/shown-value.ts';
import { countAnew, judgeEach, ofStatement, percentOf, readsOf, type Statement } from './statements.ts';
import { defineCheck, NOTHING, type Problem } from './types.ts';
import { quoted } from './units.ts';

const PARTS = [
  'jit_generation_time',
  'jit_inlining_time',
  'jit_optimization_time',
  'jit_emission_time',
] as const;

const LEAST_MS = 10_000;
/** Of the time of its executions. */
const LEAST_PART = 0.3;
const NOTABLE_PART = 0.5;
const NOTABLE_SHARE = 0.2;

function foundOf(statement: Statement): Problem | [] {
  const { item, time, share, queryid, calls } = statement;
  const compiling = PARTS.reduce((sum, name) => sum + (item.number(name) ?? 0), 0);
  const part = compiling / Math.max(time, compiling, 1);
  if (compiling < LEAST_MS || part < LEAST_PART) return [];
  const username = item.text('username');
  const common = ofStatement(statement);
  const off =
    username === null
      ? `alter database ${quoted(item.database_name)} set jit = off;`
      : `alter role ${quoted(username)} in database ${quoted(item.database_name)} set jit = off;`;
  return {
    ...common,
    severity: part >= NOTABLE_PART && share >= NOTABLE_SHARE ? 'warning' : 'info',
    message: `Statement ${queryid} spent ${percentOf(part)} % of its time on JIT compilation, ${shownValue(compiling / calls, 'ms')} per call.`,
    figure: { value: compiling, unit: 'ms' },
    evidence: {
      ...common.evidence,
      jit_time: Math.round(compiling),
      total_exec_time: Math.round(time),
      jit_functions: item.number('jit_functions'),
    },
    remedy: `${off}\n${countAnew(statement)}`,
  };
}

export const check = defineCheck({
  name: 'statement_jit',
  category: 'statements',
  title: 'Excessive JIT compilation',
  figureName: 'JIT time',
  meaning: 'JIT compilation takes much of its time, because its cost is overestimated.',
  advice: 'Turn jit off for the role that runs it, or raise jit_above_cost.',
  caution: 'Long reports of the same role may get slower.',
  source: 'jit-decision.html',
  proof: 'measured',
  reads: readsOf(['jit_functions', ...PARTS]),
  // 14 does not count it.
  judge: (facts) =>
    facts.versionNum > 0 && facts.versionNum < 150_000 ? NOTHING : judgeEach(facts, foundOf),
});
