// Statements that write most of the server's WAL.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Facts } from './facts.ts';
import { byReload } from './remedies.ts';
import {
  countAnew,
  judgeEach,
  ofStatement,
  percentOf,
  readsOf,
  type Statement,
  sentStatements,
  showText,
} from './statements.ts';
import { defineCheck, type Problem } from './types.ts';

const GIB = 1024 ** 3;
const LEAST_BYTES = GIB;
const LEAST_SHARE = 0.5;
const LEAST_CALLS = 100;
/** Images of full pages of all that it writes; each is a block at most. */
const MUCH_IMAGES = 0.5;

function remedyOf(facts: Facts, statement: Statement, images: number): string {
  if (images < MUCH_IMAGES)
    return [
      '-- Check whether it writes unchanged rows, or a table with unused indexes:',
      showText(statement),
      countAnew(statement),
    ].join('\n');
  const change =
    facts.setting('wal_compression') === 'off'
      ? byReload('wal_compression', 'on')
      : byReload('max_wal_size', `'${Math.ceil((2 * (facts.settingBytes('max_wal_size') ?? GIB)) / GIB)}GB'`);
  return `${change}\n${countAnew(statement)}`;
}

function foundOf(facts: Facts, statement: Statement, all: number): Problem | [] {
  const { item, calls, queryid } = statement;
  const bytes = item.number('wal_bytes') ?? 0;
  const share = bytes / Math.max(all, bytes, 1);
  if (bytes < LEAST_BYTES || share < LEAST_SHARE || calls < LEAST_CALLS) return [];
  const block = facts.settingNumber('block_size') ?? 8192;
  const images = Math.min(1, ((item.number('wal_fpi') ?? 0) * block) / bytes);
  const common = ofStatement(statement);
  return {
    ...common,
    severity: 'info',
    message: `Statement ${queryid} wrote ${shownValue(bytes, 'bytes')} of WAL, ${percentOf(share)} % of the WAL of all statements. Up to ${percentOf(images)} % are full-page images.`,
    figure: { value: bytes / calls, unit: 'bytes' },
    evidence: {
      ...common.evidence,
      wal_bytes: bytes,
      wal_bytes_per_call: Math.round(bytes / calls),
      wal_fpi: item.number('wal_fpi'),
      percent_of_wal: percentOf(share),
    },
    remedy: remedyOf(facts, statement, images),
  };
}

export const check = defineCheck({
  name: 'statement_wal',
  category: 'statements',
  title: 'Statement with most WAL',
  figureName: 'WAL per call',
  meaning: 'WAL must be archived, sent to standbys and replayed there.',
  advice: 'Write fewer unchanged rows, drop unused indexes, and reduce full-page images.',
  caution: 'On a server with one main kind of write, this is normal.',
  source: 'wal-configuration.html',
  proof: 'measured',
  where: 'primary',
  reads: { ...readsOf(['wal_bytes', 'wal_fpi']), pg_settings: ['name', 'setting', 'unit'] },
  judge: (facts) => {
    const all = sentStatements(facts).reduce((sum, item) => sum + (item.number('wal_bytes') ?? 0), 0);
    return judgeEach(facts, (one) => foundOf(facts, one, all));
  },
});
