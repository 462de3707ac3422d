// Pages that a node read and wrote. Guards: a plan without BUFFERS has no pages, which is not the same as 0.
import { type Group, numberAt } from './read/document.ts';
import type { Buffers } from './types.ts';

const MEMBERS = {
  shared_hit: 'Shared Hit Blocks',
  shared_read: 'Shared Read Blocks',
  shared_dirtied: 'Shared Dirtied Blocks',
  shared_written: 'Shared Written Blocks',
  local_hit: 'Local Hit Blocks',
  local_read: 'Local Read Blocks',
  local_dirtied: 'Local Dirtied Blocks',
  local_written: 'Local Written Blocks',
  temp_read: 'Temp Read Blocks',
  temp_written: 'Temp Written Blocks',
} as const satisfies Record<keyof Buffers, string>;

export const bufferKeys: readonly string[] = Object.values(MEMBERS);

type Read = (member: keyof Buffers) => number;

const made = (read: Read): Buffers => ({
  shared_hit: read('shared_hit'),
  shared_read: read('shared_read'),
  shared_dirtied: read('shared_dirtied'),
  shared_written: read('shared_written'),
  local_hit: read('local_hit'),
  local_read: read('local_read'),
  local_dirtied: read('local_dirtied'),
  local_written: read('local_written'),
  temp_read: read('temp_read'),
  temp_written: read('temp_written'),
});

export function buffersOf(group: Group): Buffers | null {
  if (numberAt(group, MEMBERS.shared_hit) === null) return null;
  return made((member) => numberAt(group, MEMBERS[member]) ?? 0);
}

/** What is left of a node's pages without those below. */
export const withoutBuffers = (whole: Buffers, below: readonly Buffers[]): Buffers =>
  made((member) => Math.max(0, whole[member] - below.reduce((sum, one) => sum + one[member], 0)));

export const plusBuffers = (a: Buffers, b: Buffers): Buffers => made((member) => a[member] + b[member]);
