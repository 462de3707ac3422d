// How many processors the machine of a server has, of the newest runs of the probes about it. Pure. Guards: a control group that
// allows less time than the machine has processors counts; what is not known has its reason.
import type { LoadPlanRow } from './active-sessions.queries.ts';

export interface Processors {
  count: number | null;
  /** Why it is not known. */
  reason: string | null;
  /** When it was told. */
  as_of: string | null;
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

/** The newest runs of the probes about the machine. */
export type MachineRun = Pick<LoadPlanRow, 'part' | 'name' | 'at' | 'key'>;

export function processorsOf(rows: readonly MachineRun[]): Processors {
  const run = (name: string) => rows.find((row) => row.part === 'run' && row.name === name);
  const [machine, host] = [run('pg_sys_cpu_info'), run('host')];
  const said = (field: string) =>
    host?.key?.rows?.find((row) => row.kind === 'value' && row.field === field)?.value;
  const logical = positive(machine?.key?.rows?.[0]?.logical_processor);
  const told = logical === undefined ? host : machine;
  const all = logical ?? positive(said('cpu_logical'));
  if (all === undefined)
    return {
      count: null,
      reason:
        machine?.key?.reason ?? 'No source has told yet how many processors the machine of the server has.',
      as_of: null,
    };
  const count = Math.min(all, positive(said('cgroup_cpu_limit')) ?? all);
  const at = told?.at ?? null;
  return { count, reason: null, as_of: at === null ? null : new Date(at).toISOString() };
}
