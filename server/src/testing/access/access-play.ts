// The state of a random sequence of changes of rights, and what one change is.
import type { ModelCaller, World } from './access-model.ts';
import type { Scene } from './access-scene.ts';

export interface Signed extends ModelCaller {
  name: string;
  username: string;
  token: string;
  /** Of the API token; undefined for a session. */
  token_id?: number;
}

export type Call = (
  request: string,
  options: { token: string; body?: object },
) => Promise<{ status: number; text: string; body: unknown }>;

export interface Play {
  scene: Scene;
  call: Call;
  /** A whole number below. */
  draw(below: number): number;
  callers: Signed[];
  groups: number[];
  connections: number[];
  clusters: number[];
  cluster_groups: number[];
  /** What was asked and how it ended, for whoever has to find out. */
  told: string[];
}

export function pick<T>(play: Pick<Play, 'draw'>, from: readonly T[]): T {
  const found = from[play.draw(from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

export interface Change {
  line: string;
  body?: object;
  /** Sharing is the right of who manages the connection, whatever their own level; the specification says so. */
  shares?: true;
  /** Told to the model when the request has succeeded. */
  apply(world: World, body: unknown): void;
}

export type Make = (play: Play, actor: Signed) => Change | undefined;
export const levelName = (play: Play) => pick(play, ['read', 'read_write'] as const);
export const number = (level: 'read' | 'read_write') => (level === 'read' ? 1 : 2);
export const path = (group: number, rest: string) => `/api/v1/rbac/groups/${group}/${rest}`;

/** What delegates may do. */
export const DELEGATED = [
  'manage_groups',
  'manage_permissions',
  'manage_users',
  'manage_token_scopes',
  'manage_connections',
];
