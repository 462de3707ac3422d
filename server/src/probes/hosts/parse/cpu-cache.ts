// Caches of one processor as /sys/devices/system/cpu/cpu0/cache tells them.
import type { HostFacts } from '../types.ts';

const CACHE = '/sys/devices/system/cpu/cpu0/cache';
const INDEXES = [0, 1, 2, 3, 4];

export const CACHE_FILES: readonly string[] = INDEXES.flatMap((index) =>
  ['level', 'type', 'size'].map((name) => `${CACHE}/index${index}/${name}`),
);

/** `48K`, `32768K`, `32M`. */
export function parseCacheSize(text: string | undefined): number | undefined {
  const found = /^(\d+)([KM]?)$/.exec(text?.trim() ?? '');
  if (!found) return undefined;
  const unit = found[2] === 'M' ? 1024 ** 2 : found[2] === 'K' ? 1024 : 1;
  return Number(found[1]) * unit || undefined;
}

type CacheFacts = Pick<
  HostFacts,
  'l1d_cache_bytes' | 'l1i_cache_bytes' | 'l2_cache_bytes' | 'l3_cache_bytes'
>;

export function parseCaches(files: ReadonlyMap<string, string>): CacheFacts {
  const facts: CacheFacts = {};
  for (const index of INDEXES) {
    const [level, type, size] = ['level', 'type', 'size'].map((name) =>
      files.get(`${CACHE}/index${index}/${name}`)?.trim(),
    );
    const bytes = parseCacheSize(size);
    if (bytes === undefined) continue;
    if (level === '1' && type !== 'Instruction') facts.l1d_cache_bytes = bytes;
    if (level === '1' && type !== 'Data') facts.l1i_cache_bytes = bytes;
    if (level === '2') facts.l2_cache_bytes = bytes;
    if (level === '3') facts.l3_cache_bytes = bytes;
  }
  return facts;
}
