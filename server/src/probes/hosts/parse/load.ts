// /proc/loadavg and /proc/pressure: how much is waiting.
import type { LoadAverages, Pressure } from '../types.ts';

export interface Loadavg {
  load: LoadAverages;
  /** Threads of the whole system, the kernel's included. */
  threads: number | undefined;
}

/** `0.52 0.58 0.59 3/467 12345`: the third figure is of fifteen minutes. */
export function parseLoadavg(text: string): Loadavg | undefined {
  const found = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+)(?: \d+\/(\d+) )?/.exec(text);
  if (!found) return undefined;
  const [one, five, fifteen] = [Number(found[1]), Number(found[2]), Number(found[3])];
  return { load: { one, five, fifteen }, threads: found[4] === undefined ? undefined : Number(found[4]) };
}

/** A file of /proc/pressure: `some avg10=0.12 avg60=0.10 avg300=0.05 total=123456` and the same for `full`. */
export function parsePressure(resource: 'cpu' | 'io' | 'memory', text: string): Pressure {
  const pressure: Pressure = {};
  for (const kind of ['some', 'full'] as const) {
    const found = new RegExp(`^${kind} avg10=(\\d+\\.\\d+) .*total=(\\d+)`, 'm').exec(text);
    if (!found) continue;
    pressure[`${resource}_${kind}_avg10`] = Number(found[1]);
    pressure[`${resource}_${kind}_ms`] = Number(found[2]) / 1000;
  }
  return pressure;
}
