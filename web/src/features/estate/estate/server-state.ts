// What a server's state is called, how it is marked, and which is worse.
import type { EstateServer } from '../../../api/types.ts';
import type { SortValue } from '../../../lib/sort.ts';
import type { Mark } from '../../../ui/status.tsx';

export type StateKey = EstateServer['status'] | 'failing' | 'paused';

const STATES: Record<StateKey, { label: string; mark: Mark; rank: number }> = {
  failing: { label: 'Cannot connect', mark: 'failed', rank: 0 },
  offline: { label: 'Offline', mark: 'failed', rank: 0 },
  warning: { label: 'Warning', mark: 'warning', rank: 1 },
  unknown: { label: 'Unknown', mark: 'unknown', rank: 2 },
  initialising: { label: 'Connecting', mark: 'waiting', rank: 3 },
  online: { label: 'Online', mark: 'ok', rank: 4 },
  paused: { label: 'Not monitored', mark: 'paused', rank: 5 },
};

export type StateOf = Pick<EstateServer, 'status' | 'is_monitored' | 'connection_error'>;

/**
 * A server that nobody monitors has no state, whatever was last seen of it. One that fails now is said to fail now:
 * the age of the newest sample alone would call it online or starting for another minute.
 */
export function stateKey(server: StateOf): StateKey {
  if (!server.is_monitored) return 'paused';
  return server.connection_error !== null && server.status !== 'offline' ? 'failing' : server.status;
}

/** Nothing is known of it now: it does not answer, or nobody asks it. */
export function isAway(server: StateOf): boolean {
  return ['failing', 'offline', 'paused'].includes(stateKey(server));
}

export function stateOf(server: StateOf) {
  return STATES[stateKey(server)];
}

export const BY_NAME: readonly ((server: EstateServer) => SortValue)[] = [
  (server) => server.name,
  (server) => server.connection_id,
];

/** Whether a server matches what was typed: every word somewhere in name, description, tags, host, version, role, owner or `more`. */
export function matches(server: EstateServer, search: string, more = ''): boolean {
  const text = [
    more,
    server.name,
    server.description,
    ...(server.tags ?? []),
    `${server.host}:${server.port}`,
    server.version ?? '',
    server.role ?? '',
    server.owner_username,
    stateOf(server).label,
  ]
    .join('\n')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
