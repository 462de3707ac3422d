// A server of the estate with all that its row shows, and which server hurts most. Pure. Guards: what was not read yet is not known, and
// not nothing.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { EstateServer } from '../../../api/types.ts';
import { percentOf } from '../../../lib/format.ts';
import type { CountsByServer } from '../../alerting/alert-counts/use-alert-counts.ts';
import { stateOf } from '../../estate/estate/server-state.ts';
import type { FindingCounts } from '../finding-counts/use-finding-counts.ts';
import type { RunwayItem } from '../runway/runway-words.ts';
import { type EstateHistory, loadRatio, type ServerHistory } from './history-words.ts';

type Changes = OperationTypes['listChanges']['result'];
export type LastChange = NonNullable<Changes['last_changes']>[number];

/** Of all servers, each read apart; undefined until it was. */
export interface EstateFigures {
  history: EstateHistory | undefined;
  /** Why there is no history, where reading it failed. */
  because: string | undefined;
  alerts: CountsByServer | undefined;
  findings: FindingCounts | undefined;
  runway: readonly RunwayItem[] | undefined;
  changes: readonly LastChange[] | undefined;
}

export interface EstateRow {
  server: EstateServer;
  history: ServerHistory | undefined;
  /** Why there is no history. */
  because: string;
  /** Undefined: not read yet. */
  alerts: number | undefined;
  findings: FindingCounts['by_server'][string] | 'none' | 'unjudged' | undefined;
  /** The disk of its machine that is full first. */
  fullAt: string | undefined;
  change: LastChange | 'none' | undefined;
}

const NOT_READ = 'Not read yet';
const NOT_COLLECTED = 'Not collected yet';

function findingsOf(id: number, counts: FindingCounts | undefined): EstateRow['findings'] {
  if (counts === undefined) return undefined;
  const own = counts.by_server[id];
  if (own) return own;
  return counts.unjudged.includes(id) ? 'unjudged' : 'none';
}

export function rowsOf(servers: readonly EstateServer[], figures: EstateFigures): EstateRow[] {
  const { history, because, alerts, findings, runway, changes } = figures;
  const histories = new Map(history?.servers.map((one) => [one.connection_id, one]));
  const last = new Map(changes?.map((one) => [one.connection_id, one]));
  const full = new Map<number, string>();
  // The soonest comes first.
  for (const { connection_id, runs_out_at } of runway ?? [])
    if (runs_out_at !== null && !full.has(connection_id)) full.set(connection_id, runs_out_at);
  return servers.map((server) => {
    const { connection_id: id } = server;
    return {
      server,
      history: histories.get(id),
      because: history ? NOT_COLLECTED : (because ?? NOT_READ),
      alerts: alerts && (alerts[id] ?? 0),
      findings: findingsOf(id, findings),
      fullAt: full.get(id),
      change: changes && (last.get(id) ?? 'none'),
    };
  });
}

const FULL_PERCENT = 95;

/** Something that is limited is nearly used up. */
function isFull({ load, connections, disk }: ServerHistory): boolean {
  const shares = [
    percentOf(load.sessions, load.processors),
    percentOf(connections.used, connections.max),
    disk.used_percent,
  ];
  return shares.some((share) => (share ?? 0) >= FULL_PERCENT);
}

/** So that one that is graver always counts for more than any number of others. */
export const findingsWeight = ({ findings }: EstateRow): number =>
  typeof findings === 'object' ? findings.critical * 1e8 + findings.warning * 1e4 + findings.info : 0;

/**
 * Ascending means worst first: its state, its alerts, critical findings, what is full,
 * warnings, what could not be collected, and the load of its CPUs.
 */
export function hurt(row: EstateRow): number {
  const { server, history, alerts = 0, findings } = row;
  const { critical, warning } = typeof findings === 'object' ? findings : { critical: 0, warning: 0 };
  return (
    stateOf(server).rank * 1e7 -
    Math.min(alerts, 99) * 1e5 -
    Math.min(critical, 9) * 1e4 -
    (history && isFull(history) ? 1e3 : 0) -
    Math.min(warning, 9) * 100 -
    Math.min(server.is_monitored ? server.problem_count : 0, 90) / 10 -
    Math.min((history && loadRatio(history)) ?? 0, 9)
  );
}
