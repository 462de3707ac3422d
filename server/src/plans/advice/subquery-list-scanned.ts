// NOT IN and IN whose list does not fit into work_mem, so that it is gone through for each row.
import { shownNumber } from '../shown-figures.ts';
import { defineAdvice, workMemOf } from './types.ts';

const WORTH_ROWS = 1_000_000;
/** Of a row in a hash table, beside its columns. */
const HEADER_BYTES = 24;
const ALIGNED = 8;
/** Versions differ in what they add for the table itself. */
const SPARE = 2;
const BYTES_OF_MB = 1024 * 1024;
/** Of PostgreSQL: less is never advised. */
const DEFAULT_MB = 4;

export const advice = defineAdvice({
  name: 'subquery_list_scanned',
  title: 'List of a subquery gone through for each row',
  meaning:
    'The rows of IN or NOT IN did not fit into a hash table of work_mem, so each row looks through them.',
  action:
    'Write "not exists" instead of "not in" where no value can be NULL, or raise work_mem so that the list is hashed.',
  judge(node, { total_ms }) {
    // Only a list that is the same for each row is kept.
    if (node.node !== 'Materialize' || !node.subplan?.startsWith('SubPlan ')) return undefined;
    const { total_rows, loops, width, estimated_rows, inclusive_ms } = node;
    if (total_rows === null || loops === null || loops < 2 || total_rows < WORTH_ROWS) return undefined;
    const rows = Math.max(estimated_rows ?? 0, node.children[0]?.total_rows ?? 0);
    const bytes = rows * (Math.ceil((width ?? 0) / ALIGNED) * ALIGNED + HEADER_BYTES) * SPARE;
    const megabytes = Math.max(DEFAULT_MB, 2 ** Math.ceil(Math.log2(bytes / BYTES_OF_MB)));
    return {
      evidence: `The list of ${shownNumber(rows)} rows was gone through for ${shownNumber(loops)} rows: ${shownNumber(total_rows)} comparisons. It would be hashed with a work_mem of about ${megabytes} MB.`,
      remedy: workMemOf(megabytes),
      // The comparisons are made by the node above, beside which the list takes its own time.
      weight: total_ms === null ? 0.1 : Math.min(1, (2 * (inclusive_ms ?? 0)) / total_ms),
    };
  },
});
