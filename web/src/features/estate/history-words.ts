// What the last 24 hours of a server are called, and which server is worse. Pure.
import type { OperationTypes } from '../../api/operations.gen.ts';
import type { EstateServer } from '../../api/types.ts';
import { badness } from './server-state.ts';

export type EstateHistory = OperationTypes['getEstateHistory']['result'];
export type ServerHistory = EstateHistory['servers'][number];

export interface HistoryRow {
  server: EstateServer;
  history: ServerHistory;
}

/** Sessions with one digit below ten. */
export const formatLoad = (value: number): string =>
  value > 0 && value < 0.05 ? '<0.1' : String(value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value));

/** What a full bar of the strip stands for: the processors, or the largest hour. */
export function loadTop({ strip, load }: ServerHistory): number {
  const largest = strip.load.reduce<number>((most, one) => Math.max(most, one ?? 0), 0);
  return load.processors ?? Math.max(1, largest);
}

/** Load by processor now; null where one of the two is not known. */
export const loadRatio = ({ load: { sessions, processors } }: ServerHistory): number | null =>
  sessions === null || processors === null ? null : sessions / processors;

/** Ascending means worst first: state, then hours that could not be read, then load by processor. */
export function urgency({ server, history }: HistoryRow): number {
  const lost = history.strip.worst_status.filter((status) => status === 'offline').length;
  return badness(server) * 1000 - 10 * lost - Math.min(9, loadRatio(history) ?? 0);
}

/** Servers of which both the state and the history are known. */
export function rowsOf(servers: readonly EstateServer[], histories: readonly ServerHistory[]): HistoryRow[] {
  const known = new Map(histories.map((one) => [one.connection_id, one]));
  return servers.flatMap((server) => {
    const history = known.get(server.connection_id);
    return history ? [{ server, history }] : [];
  });
}
