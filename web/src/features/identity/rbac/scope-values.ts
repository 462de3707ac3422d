// The scope of a token as it is edited. "Unrestricted" and "nothing" are opposites that look alike as lists: absent and
// empty. So each dimension says in a word which of the two it is, and only "only these" has entries.
import { asPermissions } from '../auth/rights.ts';
import type { Grant, Scope, ScopeBody } from './types.ts';

const MODES = ['all', 'some', 'none'] as const;
export type Mode = (typeof MODES)[number];

export function isMode(text: string): text is Mode {
  return MODES.some((mode) => mode === text);
}

interface Dimension<T> {
  mode: Mode;
  entries: readonly T[];
}

export interface ScopeDraft {
  connections: Dimension<Grant>;
  mcp: Dimension<string>;
  admin: Dimension<string>;
}
export type DimensionName = keyof ScopeDraft;

export const UNRESTRICTED: ScopeDraft = {
  connections: { mode: 'all', entries: [] },
  mcp: { mode: 'all', entries: [] },
  admin: { mode: 'all', entries: [] },
};

function dimensionOf<T>(entries: readonly T[] | undefined): Dimension<T> {
  if (entries === undefined) return { mode: 'all', entries: [] };
  return { mode: entries.length === 0 ? 'none' : 'some', entries };
}

export function scopeDraftOf(scope: Scope | undefined): ScopeDraft {
  return {
    connections: dimensionOf(scope?.connections),
    mcp: dimensionOf(scope?.mcp_identifiers),
    admin: dimensionOf(scope?.admin_permissions),
  };
}

/** What travels; undefined where nothing is restricted, so that the scope is to be cleared. */
export function scopeBodyOf({ connections, mcp, admin }: ScopeDraft): ScopeBody | undefined {
  if ([connections, mcp, admin].every(({ mode }) => mode === 'all')) return undefined;
  const listOf = <T>({ mode, entries }: Dimension<T>) => (mode === 'none' ? [] : [...entries]);
  return {
    ...(connections.mode !== 'all' && { connections: listOf(connections) }),
    ...(mcp.mode !== 'all' && { mcp_privileges: listOf(mcp) }),
    ...(admin.mode !== 'all' && { admin_permissions: asPermissions(listOf(admin)) }),
  };
}

/** The first dimension that says "only these" and names none. */
export function emptyDimension(draft: ScopeDraft): DimensionName | undefined {
  const names = ['connections', 'mcp', 'admin'] as const;
  return names.find((name) => draft[name].mode === 'some' && draft[name].entries.length === 0);
}

const ALL = '*';
const EVERY_CONNECTION = 0;

function counted(entries: readonly unknown[] | undefined, one: string, many: string): string | undefined {
  if (entries === undefined) return undefined;
  if (entries.length === 0) return `no ${one}`;
  return entries.length === 1 ? `1 ${one}` : `${entries.length} ${many}`;
}

/** "Unrestricted", "2 servers · no MCP tool", … */
export function scopeSummary(scope: Scope | undefined): string {
  if (!scope?.scoped) return 'Unrestricted';
  const { connections, mcp_identifiers: mcp, admin_permissions: admin } = scope;
  const every = connections?.find(({ connection_id }) => connection_id === EVERY_CONNECTION);
  const parts = [
    every
      ? `every server (${every.access_level === 'read' ? 'read' : 'read and write'})`
      : counted(connections, 'server', 'servers'),
    mcp?.includes(ALL) ? 'every MCP tool' : counted(mcp, 'MCP tool', 'MCP tools'),
    admin?.includes(ALL) ? 'every permission' : counted(admin, 'permission', 'permissions'),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** "in 12 d", "in 3 h", "expired". By the server's clock. */
export function expiryText(iso: string, nowSeconds: number): string {
  const seconds = Math.floor(Date.parse(iso) / 1000) - nowSeconds;
  if (Number.isNaN(seconds)) return 'at an unknown time';
  if (seconds <= 0) return 'expired';
  const hours = Math.floor(seconds / 3600);
  if (hours < 1) return `in ${Math.max(1, Math.floor(seconds / 60))} min`;
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(seconds / 86_400)} d`;
}
