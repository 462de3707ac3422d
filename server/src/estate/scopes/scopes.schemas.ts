// The shapes of a scope: a server, a cluster or a group, for which something is set instead of what holds for the estate.
import * as s from '../../kernel/schema.ts';

export const SCOPES = ['server', 'cluster', 'group'] as const;
export type ScopeKind = (typeof SCOPES)[number];

export interface Scope {
  scope: ScopeKind;
  /** Of the connection, the stored cluster or the group. */
  scope_id: number;
}

/** The parameters of a path that names a scope. */
export const ofScope = s.object({ scope: s.oneOf(SCOPES), scopeId: s.id() });

/** The parameters of a path that names one override: its scope, and what is set there. */
export const ofOverride = <M extends Record<string, s.Schema>>(subject: M) =>
  s.object({ scope: s.oneOf(SCOPES), scopeId: s.id(), ...subject });
