// Where something can be set: for the whole estate, a group, a cluster or a server. The most specific setting wins whole.
export type ScopeKind = 'server' | 'cluster' | 'group';

export interface Scope {
  scope: ScopeKind;
  scope_id: number;
  name: string;
}

/** Overrides of a scope, as they were read. */
export interface ScopeRows<Row> {
  scope: Scope;
  rows: readonly Row[];
}

/** What is set at one level. */
export interface Level<Values> {
  title: string;
  values: Values;
}

/** Somewhere a value can be set; `inherited` holds there as long as nothing is set. */
export interface Setting<Values> {
  key: string;
  title: string;
  set: Values | undefined;
  inherited: Values;
}

export const KIND_WORDS: Record<ScopeKind, string> = { server: 'Server', cluster: 'Cluster', group: 'Group' };
export const scopeWords = ({ scope, name }: Scope): string => `${KIND_WORDS[scope]} ${name}`;
export const ESTATE_WORDS = 'Whole estate';
