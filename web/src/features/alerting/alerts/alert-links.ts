// The ways from an alert to what else was going on: what the server did at the moment when it fired, and what was changed on
// it in the hour before. Pure. Guards: each leads to a window that stands still, which holds the moment.
import { HOUR_MS } from '../../../lib/units.ts';
import type { Alert } from './alert-words.ts';

const isoSecond = (at: number) => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

const PARTS = [
  { tab: 'load', words: 'Load at that moment' },
  { tab: 'sessions', words: 'Sessions at that moment' },
  { tab: 'locks', words: 'Locks at that moment' },
  { tab: 'logs', words: 'Log at that moment' },
] as const;

/** Of an alert, or of anything else that began then. */
export function momentPaths({
  connection_id,
  triggered_at,
}: Pick<Alert, 'connection_id' | 'triggered_at'>): { path: string; words: string }[] {
  const fired = Date.parse(triggered_at);
  const to = (search: Record<string, string>) => `/servers/${connection_id}?${new URLSearchParams(search)}`;
  const around = {
    from: isoSecond(fired - HOUR_MS / 2),
    to: isoSecond(fired + HOUR_MS / 2),
    at: isoSecond(fired),
  };
  const before = { from: isoSecond(fired - HOUR_MS), to: isoSecond(fired + 1000) };
  return [
    ...PARTS.map(({ tab, words }) => ({ path: to({ tab, ...around }), words })),
    { path: to({ tab: 'timeline', ...before }), words: 'What changed in the hour before' },
  ];
}

const STATEMENT = /^statement (-?\d+)$/;
/** Of rules that name the statement behind a count. */
const NAMED = /\bstatement (-?\d{4,19})\b/i;

type AboutStatement = Pick<Alert, 'connection_id' | 'object_name' | 'description'>;

/** Of the statement that an alert is about; undefined for others. */
export const statementIdOf = ({ object_name, description }: AboutStatement): string | undefined =>
  STATEMENT.exec(object_name ?? '')?.[1] ?? NAMED.exec(description)?.[1];

/** Its page, with its plans. */
export function statementPath(alert: AboutStatement): string | undefined {
  const queryid = statementIdOf(alert);
  return queryid === undefined ? undefined : `/servers/${alert.connection_id}/queries/${queryid}`;
}
