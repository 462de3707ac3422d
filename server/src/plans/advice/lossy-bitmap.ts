// Bitmaps that did not fit into memory, so that whole pages are looked through.
import { shownNumber } from '../shown-figures.ts';
import { defineAdvice, shareOf } from './types.ts';

/** Of a page in the bitmap: its entry and its part of the hash table. */
const ENTRY_BYTES = 96;
const MB = 1024 * 1024;
/** Of PostgreSQL: less is never advised. */
const DEFAULT_MB = 4;
const WORTH_SHARE = 0.1;

export const advice = defineAdvice({
  name: 'lossy_bitmap',
  title: 'Lossy bitmap heap blocks',
  meaning: 'The bitmap did not fit into work_mem, so every row of the pages it names is checked again.',
  action: 'Raise work_mem for this statement or its role.',
  judge(node, facts) {
    const [lossy, exact] = [node.lossy_heap_blocks ?? 0, node.exact_heap_blocks ?? 0];
    if (lossy === 0 || lossy < WORTH_SHARE * (lossy + exact)) return undefined;
    const megabytes = Math.max(DEFAULT_MB, 2 ** Math.ceil(Math.log2(((lossy + exact) * ENTRY_BYTES) / MB)));
    return {
      evidence: `${shownNumber(lossy)} of ${shownNumber(lossy + exact)} pages were lossy; ${shownNumber((node.rows_removed_by_recheck ?? 0) * (node.loops ?? 1))} rows were read and thrown away.`,
      remedy: `set work_mem = '${megabytes}MB';`,
      weight: shareOf(node, facts),
    };
  },
});
