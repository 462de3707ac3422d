// How long reads of the store take, what they cost, and whether that is what was wanted of P8. Guards: processor time and
// statements are told beside the time on the clock, which says little on a machine that does other work; the first look, of which
// nothing is known from before, is told apart from those that follow it.
import process from 'node:process';
import { systemClock } from '../kernel/clock.ts';
import type { CountedDb } from '../testing/store/counted-db.ts';

const READS = 20;

/** P8: p50 and p99 of one series, in milliseconds. */
export const WANTED: Readonly<Record<string, readonly [p50: number, p99: number]>> = {
  '24 h': [5, 20],
  '30 d': [15, 50],
};

/**
 * Milliseconds, of the processor of this process too, and statements, of one read, the first of them apart; and whether that is what was
 * wanted.
 */
export async function timed(
  db: CountedDb,
  work: () => Promise<unknown>,
  wanted?: readonly [p50: number, p99: number],
): Promise<string> {
  const once = async () => {
    const began = systemClock.monotonic();
    await work();
    return systemClock.monotonic() - began;
  };
  const first = await once();
  const times: number[] = [];
  db.reset();
  const before = process.cpuUsage();
  for (let n = 0; n < READS; n += 1) times.push(await once());
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  const cpu = (user + system) / 1000 / READS;
  const figures = `first ${first.toFixed(1).padStart(6)} ms, then p50 ${at(0.5).toFixed(1).padStart(7)} ms, p99 ${at(0.99).toFixed(1).padStart(7)} ms`;
  const costs = `our processor ${cpu.toFixed(1).padStart(6)} ms, ${(db.sent.length / READS).toFixed(1)} statements`;
  if (!wanted) return `${figures}, ${costs}`;
  const isHit = at(0.5) <= wanted[0] && at(0.99) <= wanted[1];
  return `${figures}, ${costs}; wanted ${wanted.join(' and ')}: ${isHit ? 'hit' : 'missed'}`;
}
