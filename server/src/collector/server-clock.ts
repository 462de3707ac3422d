// A server whose clock is not ours: its sessions seem older or younger than they are, since they say by its clock when they began. Pure.
import { shownValue } from '../kernel/shown-value.ts';

/** Less changes no judgement of what is older than some minutes. */
const TELL_MS = 30_000;
/** Seconds; the sentence stays the same while the clocks differ by as much. */
const STEP = 10;

/** Its time as it answered a ping; undefined: no difference is proven that matters. */
export function clockWords(
  theirs: unknown,
  { attempted_at, took_ms }: { attempted_at: number; took_ms: number },
): string | undefined {
  const at = Date.parse(String(theirs));
  const [behind, ahead] = [attempted_at - at, at - attempted_at - took_ms];
  const differs = Math.max(behind, ahead);
  if (!(differs >= TELL_MS)) return undefined;
  const by = shownValue(Math.round(differs / 1000 / STEP) * STEP, 'seconds');
  const [way, seem] = behind > 0 ? ['behind', 'older'] : ['ahead of', 'younger'];
  return `The clock of the server is ${by} ${way} the clock of the datastore: its sessions, transactions and lock waits seem that much ${seem}. Synchronize the clocks by NTP.`;
}
