// Sorts, hashes and aggregates that went to disk.

import { shownKb } from '../shown-figures.ts';
import type { PlanNode, Spill } from '../types.ts';
import { defineAdvice, type PlanFacts, shareOf, workMemOf } from './types.ts';

/** Rows take more room in memory than on disk: each has a header and a pointer of its own. */
const IN_MEMORY = 4;
/** Since 15 a hash may take twice work_mem; the plan does not say which version it is of. */
function wantedKb(node: PlanNode, { what, disk_kb, memory_kb, batches }: Spill): number | null {
  if (what === 'hash') return memory_kb === null || batches === null ? null : memory_kb * batches * 1.2;
  if (disk_kb === null) return null;
  if (what === 'aggregate') return memory_kb === null ? null : memory_kb + disk_kb * IN_MEMORY;
  return node.total_rows === null ? null : disk_kb * 1.2 + (node.total_rows * 32) / 1024;
}

const MB = 1024;
/** Of PostgreSQL: less is never advised. */
const DEFAULT_MB = 4;
/** In whole megabytes, with room to spare. */
const rounded = (kb: number) => Math.max(DEFAULT_MB, 2 ** Math.ceil(Math.log2(kb / MB)));

const KB_OF: Readonly<Record<string, number>> = { '': 1, kB: 1, MB, GB: MB * MB };

/** In kB, where the plan has it among its settings. */
function presentKb({ plan }: PlanFacts): number | null {
  const [, amount, unit = ''] = /^(\d{1,12})(kB|MB|GB|)$/.exec(plan.settings.work_mem ?? '') ?? [];
  return amount === undefined ? null : Number(amount) * (KB_OF[unit] ?? 1);
}

const WORDS = {
  sort: 'The sort',
  hash: 'The hash table',
  aggregate: 'The aggregation',
  storage: 'The kept rows',
};

function evidenceOf({ what, disk_kb, memory_kb, batches }: Spill): string {
  const memory = memory_kb === null ? '' : ` of ${shownKb(memory_kb)} in memory`;
  if (what === 'hash') return `${WORDS.hash} was written to disk in ${batches} batches${memory}.`;
  return `${WORDS[what]} wrote ${disk_kb === null ? 'an unknown amount' : shownKb(disk_kb)} to disk.`;
}

export const advice = defineAdvice({
  name: 'spilled_to_disk',
  title: 'Sort or hash spilled to disk',
  meaning: 'What does not fit into work_mem is written to temporary files and read again.',
  action:
    'Raise work_mem for this statement or its role, if there is memory for it; each sort and hash of each process may take that much.',
  judge(node, facts) {
    const [worst] = node.spills.toSorted((a, b) => (wantedKb(node, b) ?? 0) - (wantedKb(node, a) ?? 0));
    if (worst === undefined) return undefined;
    const most = wantedKb(node, worst);
    const present = presentKb(facts);
    // It did not fit into what there was, whatever was figured out.
    const megabytes = most === null ? null : rounded(Math.max(most, (present ?? 0) * 1.5));
    const fits =
      megabytes === null ? '' : ` It would fit with a work_mem of about ${shownKb(megabytes * MB)}`;
    const much =
      megabytes === null || workMemOf(megabytes) !== null
        ? ''
        : ', which is too much for a session: see to it that fewer rows reach it, or that an index gives their order';
    const was = present === null ? '' : ` work_mem was ${shownKb(present)}.`;
    return {
      evidence: `${evidenceOf(worst)}${was}${fits}${fits && `${much}.`}`,
      remedy: megabytes === null ? null : workMemOf(megabytes),
      weight: shareOf(node, facts),
    };
  },
});
