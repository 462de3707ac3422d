// A spool for tests, which is stopped when the test ends.
import { onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { openSpool } from '../../store/spool/spool.ts';
import type { Spool, SpoolOptions } from '../../store/spool/types.ts';

export const MB = 1024 * 1024;

export async function openedSpool(directory: string, more: Partial<SpoolOptions> = {}): Promise<Spool> {
  const common = { maxBytes: 64 * MB, minFreeBytes: 0, clock: systemClock, log: silentLog };
  const spool = await openSpool({ directory, ...common, ...more });
  onTestFinished(() => spool.stop());
  return spool;
}
