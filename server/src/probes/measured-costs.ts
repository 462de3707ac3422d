// What each probe was measured to cost a server (npm run bench -- probes --write), for the catalog and for people who
// want to know before they switch something on.

import { readFile } from 'node:fs/promises';

/** CPU time of a run on PostgreSQL 18 in milliseconds; null where it does not run there, or costs the server nothing. */
export interface MeasuredCost {
  /** On a server without tables of its own. */
  readonly idle_ms: number | null;
  /** With 300 tables in the database. */
  readonly loaded_ms: number | null;
}

/** By the probe's name. */
export type MeasuredCosts = Record<string, MeasuredCost>;

const FILE = new URL('measured-costs.json', import.meta.url);

export async function readMeasuredCosts(): Promise<MeasuredCosts> {
  return JSON.parse(await readFile(FILE, 'utf8'));
}
