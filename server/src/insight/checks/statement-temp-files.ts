// Statements whose sorts and hashes do not fit into work_mem and go through files.
import { shownCount, shownValue } from '../../kernel/shown-value.ts';
import type { Facts } from './facts.ts';
import { countAnew, judgeEach, ofStatement, readsOf, type Statement, statementOf } from './statements.ts';
import { defineCheck, type Problem } from './types.ts';
import { quoted } from './units.ts';

const MIB = 1024 ** 2;
const LEAST_CALLS = 10;
const LEAST_PER_CALL = 4 * MIB;
const LEAST_TOTAL = 64 * MIB;
const NOTABLE_TOTAL = 100 * 1024 * MIB;
const NOTABLE_SHARE = 0.1;
/** More work_mem than that is dangerous for one role's sessions. */
const MOST_WORK_MEM = 512 * MIB;

const blockSize = (facts: Facts) => facts.settingNumber('block_size') ?? 8192;

/** What is written to files is packed tighter than in memory. */
const wantedMemory = (per_call: number) =>
  Math.max(8 * MIB, 2 ** Math.ceil(Math.log2(Math.max(2 * per_call, 1))));

function remedyOf(statement: Statement, per_call: number): string {
  const { item } = statement;
  const [username, wanted] = [item.text('username'), wantedMemory(per_call)];
  const change =
    wanted > MOST_WORK_MEM || username === null
      ? '-- Reduce the rows that it sorts or joins, or create an index in the required order.'
      : `alter role ${quoted(username)} in database ${quoted(item.database_name)} set work_mem = '${wanted / MIB}MB';`;
  return `${change}\n${countAnew(statement)}`;
}

function foundOf(facts: Facts, statement: Statement): Problem | [] {
  const { item, calls, share, queryid } = statement;
  const total = (item.number('temp_blks_written') ?? 0) * blockSize(facts);
  const per_call = total / calls;
  if (calls < LEAST_CALLS || per_call < LEAST_PER_CALL || total < LEAST_TOTAL) return [];
  const common = ofStatement(statement);
  return {
    ...common,
    severity: total >= NOTABLE_TOTAL && share >= NOTABLE_SHARE ? 'warning' : 'info',
    message: `Statement ${queryid} writes ${shownValue(per_call, 'bytes')} of temporary files a call in ${shownCount(calls, 'call')}, ${shownValue(total, 'bytes')} in total.`,
    figure: { value: per_call, unit: 'bytes' },
    evidence: {
      ...common.evidence,
      temp_bytes: total,
      temp_bytes_per_call: Math.round(per_call),
      work_mem: facts.settingBytes('work_mem') ?? null,
    },
    remedy: remedyOf(statement, per_call),
  };
}

export const check = defineCheck({
  name: 'statement_temp_files',
  category: 'statements',
  title: 'Statement spills to disk',
  figureName: 'temp files per call',
  meaning: 'It writes rows to temporary files and reads them again, which is slower than memory.',
  advice: 'Raise work_mem for the role that runs it.',
  caution: 'Each sort or hash of each session may use that much memory at a time.',
  source: 'runtime-config-resource.html#GUC-WORK-MEM',
  proof: 'measured',
  reads: {
    ...readsOf(['temp_blks_written']),
    pg_settings: ['name', 'setting', 'unit'],
  },
  judge: (facts) => judgeEach(facts, (one) => foundOf(facts, one)),
  figureAfter: (facts, gone) => {
    const item = statementOf(facts, gone);
    const [calls, blocks] = [item?.number('calls'), item?.number('temp_blks_written')];
    return calls && typeof blocks === 'number' ? (blocks * blockSize(facts)) / calls : null;
  },
});
