// Where the processors' time went, and the share of each kind between two readings. Guards: a reading that went
// backwards (another machine, a reboot, a counter that the kernel corrected) gives nothing rather than nonsense.
import type { CpuTimes } from '../types.ts';

// Clock ticks a second in /proc are 100 on every architecture Node runs on.
const TICKS = 100;

/** The first line of /proc/stat. Guests are counted in user and nice already. */
export function parseCpuTimes(stat: string): CpuTimes | undefined {
  const found = /^cpu\s+(\d[\d ]*)$/m.exec(stat)?.[1]?.trim().split(/ +/).map(Number);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = (found ?? []).map((ticks) => ticks / TICKS);
  if (user === undefined || nice === undefined || system === undefined || idle === undefined)
    return undefined;
  return {
    user,
    nice,
    system,
    idle,
    ...(iowait === undefined ? {} : { iowait }),
    ...(irq === undefined ? {} : { irq }),
    ...(softirq === undefined ? {} : { softirq }),
    ...(steal === undefined ? {} : { steal }),
  };
}

/** cpu.stat of a cgroup that is limited to so many processors: what it did not use of its limit is idle. */
export function parseCgroupTimes(
  stat: string | undefined,
  { processors, up_seconds }: { processors: number; up_seconds: number },
): CpuTimes | undefined {
  const seconds = (name: string) => {
    const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(stat ?? '')?.[1];
    return found === undefined ? undefined : Number(found) / 1e6;
  };
  const [usage, user, system] = [seconds('usage_usec'), seconds('user_usec'), seconds('system_usec')];
  if (usage === undefined || user === undefined || system === undefined) return undefined;
  return { user, system, idle: processors * up_seconds - usage, processors };
}

/** /proc/uptime: seconds since boot. */
export function parseUptime(text: string): number | undefined {
  const found = /^(\d+(\.\d+)?) /.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const KINDS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'] as const;
type Kind = (typeof KINDS)[number];
export type CpuShares = Partial<Record<Kind, number>>;

/** The kernel itself takes back a little of iowait and idle now and then. */
const TAKEN_BACK_SECONDS = 1;

/** Percent of all processors' time between two readings of one machine; undefined when they do not compare. */
export function cpuShares(before: CpuTimes, after: CpuTimes): CpuShares | undefined {
  if (before.processors !== after.processors) return undefined;
  const spent: [Kind, number][] = [];
  for (const kind of KINDS) {
    const [first, last] = [before[kind], after[kind]];
    if ((first === undefined) !== (last === undefined)) return undefined;
    if (first === undefined || last === undefined) continue;
    // A cgroup may use more than its limit for a moment, so its idle time alone may shrink at will.
    const mayShrink = kind === 'idle' && after.processors !== undefined;
    if (last - first < -TAKEN_BACK_SECONDS && !mayShrink) return undefined;
    spent.push([kind, Math.max(0, last - first)]);
  }
  const total = spent.reduce((sum, [, seconds]) => sum + seconds, 0);
  if (!(total > 0)) return undefined;
  return Object.fromEntries(spent.map(([kind, seconds]) => [kind, (seconds * 100) / total]));
}
