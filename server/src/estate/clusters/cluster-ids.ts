// The names of clusters and groups in paths: N or cluster-N is a stored row, server-N and cluster-spock-<prefix> are
// what detection sees, stored or not. Pure.
import { Fault } from '../../kernel/errors.ts';
import { MAX_ID } from '../../kernel/schema.ts';

export type ClusterRef =
  | { kind: 'stored'; id: number }
  | { kind: 'server'; connection_id: number }
  | { kind: 'spock'; prefix: string };

export type GroupRef = { kind: 'stored'; id: number } | { kind: 'default' } | { kind: 'auto'; key: string };

const NUMBER = /^[1-9]\d{0,9}$/;
const LONGEST_KEY = 255;

function idOf(text: string): number | undefined {
  return NUMBER.test(text) && Number(text) <= MAX_ID ? Number(text) : undefined;
}

/** What follows `prefix` in `text`, or undefined where it starts otherwise. */
function after(prefix: string, text: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}

export function parseClusterId(text: string): ClusterRef {
  const prefix = after('cluster-spock-', text);
  if (prefix) return { kind: 'spock', prefix };
  const connection_id = idOf(after('server-', text) ?? '');
  if (connection_id !== undefined) return { kind: 'server', connection_id };
  const id = idOf(after('cluster-', text) ?? text);
  if (id !== undefined) return { kind: 'stored', id };
  throw new Fault('bad_request', 'id must be N, cluster-N, server-N or cluster-spock-<prefix>.');
}

export function parseGroupId(text: string): GroupRef {
  if (text === 'group-auto') return { kind: 'default' };
  const key = after('group-auto-', text);
  if (key && key.length <= LONGEST_KEY) return { kind: 'auto', key };
  const id = idOf(after('group-', text) ?? text);
  if (id !== undefined) return { kind: 'stored', id };
  throw new Fault('bad_request', 'id must be N, group-N, group-auto or group-auto-<key>.');
}

/** What stored rows of that name can stand for, the likeliest first; a stored id says nothing about it. */
export function keysOf(ref: ClusterRef): string[] {
  if (ref.kind === 'stored') return [];
  if (ref.kind === 'spock') return [`spock:${ref.prefix}`];
  return ['standalone', 'binary', 'logical'].map((type) => `${type}:${ref.connection_id}`);
}

const SPOCK = 'spock:';

/** The topology's id of a cluster that is not stored. */
export function detectedId(key: string): string {
  if (key.startsWith(SPOCK)) return `cluster-spock-${key.slice(SPOCK.length)}`;
  return `server-${key.slice(key.indexOf(':') + 1)}`;
}

/** The same of a row of matriarch.connection_scopes. */
export const topologyId = (row: { cluster_id: number | null; cluster_key: string | null }): string =>
  row.cluster_id === null ? detectedId(row.cluster_key ?? '') : `cluster-${row.cluster_id}`;

export const isLoneKey = (key: string | null): boolean => key?.startsWith('standalone:') ?? false;
