// What an alert is called on the other side, at each of its messages: the same for as long as it is open, and another
// than that of any other alert, also of another Matriarch that reports to the same place.
import { createHash } from 'node:crypto';
import type { AlertFacts } from '../alert-facts.ts';

const KEY = /^matriarch-(\d{1,15})-[0-9a-f]{12}$/;

/** Which alert a key is of; whether it really is has to be compared. Undefined for a key that is none of ours. */
export function alertIdOf(key: string): number | undefined {
  const id = KEY.exec(key)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** Of nothing that somebody can change while the alert is open: not of where its server stands. */
export function dedupKey({ alert_id, triggered_at, connection_id }: AlertFacts): string {
  const origin = JSON.stringify([triggered_at, connection_id]);
  return `matriarch-${alert_id}-${createHash('sha256').update(origin).digest('hex').slice(0, 12)}`;
}
