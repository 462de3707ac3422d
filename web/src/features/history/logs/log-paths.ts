// Ways between the log and what else is known of a server at that time. Pure.
import { MINUTE_MS } from '../../../lib/units.ts';

/** So much before and after a moment is shown with it. */
const AROUND_MS = 5 * MINUTE_MS;

const instantText = (at: number) =>
  new Date(Math.round(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');

function around(at: number): URLSearchParams {
  return new URLSearchParams({ from: instantText(at - AROUND_MS), to: instantText(at + AROUND_MS) });
}

/** A part of a server's page that shows the state of a moment. */
export function momentPath(id: number, tab: 'sessions' | 'locks', at: number): string {
  const search = around(at);
  search.set('at', instantText(at));
  return `/servers/${id}?tab=${tab}&${search}`;
}

/** The log of a server around a moment, or in the window of the page where that is given. */
export function logsPath(
  id: number,
  time: number | URLSearchParams,
  filters: Record<string, string> = {},
): string {
  const search = typeof time === 'number' ? around(time) : new URLSearchParams(time);
  for (const [name, value] of Object.entries(filters)) search.set(name, value);
  const text = search.toString();
  return `/servers/${id}?tab=logs${text === '' ? '' : `&${text}`}`;
}
