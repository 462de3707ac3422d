// /proc/<pid>/stat and /proc/stat: who a process is and when it began.

export interface ProcStat {
  pid: number;
  /** The program's name, cut to 15 bytes by the kernel; may hold blanks and parentheses. */
  comm: string;
  ppid: number;
  /** One letter, e.g. R for running. */
  state: string;
  /** Ticks it has run, in its own code and in the kernel's. */
  cpu_ticks: number;
  /** Ticks since boot. */
  start_ticks: number;
}

export function parseProcStat(text: string): ProcStat | undefined {
  const found = /^(\d+) \((.*)\) (.*)$/s.exec(text);
  const fields = found?.[3]?.trim().split(' ') ?? [];
  const [ppid, start] = [Number(fields[1]), Number(fields[19])];
  const cpu_ticks = Number(fields[11]) + Number(fields[12]);
  if (!found?.[1] || found[2] === undefined || ![ppid, start, cpu_ticks].every(Number.isFinite))
    return undefined;
  const state = fields[0] ?? '';
  return { pid: Number(found[1]), comm: found[2], ppid, state, cpu_ticks, start_ticks: start };
}

/** Seconds since the epoch at which the machine booted, from /proc/stat. */
export function parseBootTime(text: string): number | undefined {
  const found = /^btime (\d+)$/m.exec(text);
  return found ? Number(found[1]) : undefined;
}
