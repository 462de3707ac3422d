// A probe of the catalog by a name that the program itself gives. Names of callers are answered with a fault instead.
import { probes } from './catalog.gen.ts';
import type { Probe } from './types.ts';

const byName = new Map<string, Probe>(probes.map((probe) => [probe.name, probe]));

export function catalogProbe(name: string): Probe {
  const probe = byName.get(name);
  if (!probe) throw new Error(`there is no probe ${name}`);
  return probe;
}
