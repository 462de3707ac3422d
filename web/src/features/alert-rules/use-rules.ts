// What the page of alert rules reads, for the place that its address names, and what it sends. Guards: what holds for a
// server is told with all that it inherits, in the order in which the alerter takes it.
import type { ApiError } from '../../api/client.ts';
import { useOperation, useOperationMutation } from '../../api/use-operation.ts';
import { useUrlTexts } from '../../lib/url-state.ts';
import { groupNumber, storedId } from '../clusters/model.ts';
import { useTopology } from '../clusters/use-topology.ts';
import {
  type Place,
  type Rule,
  type RuleAt,
  ruleAt,
  type Scope,
  type ScopeKind,
  type ScopeOverrides,
  type Values,
} from './rule-values.ts';

/** They change when somebody changes them elsewhere; what is changed here is read again at once. */
const OTHERS_MS = 60_000;
const KINDS = ['group', 'cluster', 'server'] as const satisfies readonly ScopeKind[];
const MAX_ID = 2_147_483_647;

export interface Target {
  scope: ScopeKind;
  id: number;
}

/** The place that the address names; undefined: the whole estate. */
export function useTarget(): [Target | undefined, (target: Target | undefined) => void] {
  const [text, set] = useUrlTexts(['scope', 'of']);
  const scope = KINDS.find((one) => one === text('scope'));
  const id = /^[1-9]\d{0,9}$/.test(text('of')) ? Number(text('of')) : 0;
  const target = scope === undefined || id === 0 || id > MAX_ID ? undefined : { scope, id };
  return [target, (next) => set({ scope: next?.scope ?? '', of: next ? String(next.id) : '' })];
}

type Read = { data: Scope[] | undefined; error: ApiError | null; refetch: () => unknown };

/** Where something can be set that holds there, from the most general to the most specific. */
export function useScopes(target: Target | undefined): Read {
  const isServer = target?.scope === 'server';
  const settings = useOperation(
    'getProbeSettings',
    { params: { id: target?.id ?? 0 } },
    { enabled: isServer, staleMs: OTHERS_MS },
  );
  const topology = useTopology();
  if (target === undefined) return { data: [], error: null, refetch: () => undefined };
  if (isServer) {
    const { data, error, refetch } = settings;
    const ordered = KINDS.flatMap((kind) => data?.scopes.filter(({ scope }) => scope === kind) ?? []);
    return { data: data && ordered, error, refetch };
  }
  const { data, error, refetch } = topology;
  return { data: data && scopesIn(data, target), error, refetch };
}

type Topology = NonNullable<ReturnType<typeof useTopology>['data']>;

function scopesIn(groups: Topology, { scope, id }: Target): Scope[] {
  const group = groups.find((one) =>
    scope === 'group'
      ? groupNumber(one.id) === id
      : one.clusters.some((cluster) => storedId(cluster.id) === id),
  );
  const cluster = group?.clusters.find((one) => storedId(one.id) === id);
  const ofGroup = group && { scope: 'group' as const, scope_id: groupNumber(group.id), name: group.name };
  const ofCluster = { scope, scope_id: id, name: cluster?.name ?? String(id) };
  return scope === 'group' ? [ofGroup ?? { ...ofCluster }] : [...(ofGroup ? [ofGroup] : []), ofCluster];
}

function useOverrides(scope: Scope | undefined) {
  return useOperation(
    'listAlertOverrides',
    { params: { scope: scope?.scope ?? 'server', scopeId: scope?.scope_id ?? 0 } },
    { enabled: scope !== undefined, everyMs: OTHERS_MS },
  );
}

export interface RulesRead {
  data: RuleAt[] | undefined;
  error: ApiError | null;
  refetch: () => unknown;
}

/** Every rule as it holds at the target. */
export function useRules(target: Target | undefined): RulesRead {
  const rules = useOperation('listAlertRules', {}, { everyMs: OTHERS_MS });
  const scopes = useScopes(target);
  const [first, second, third] = scopes.data ?? [];
  const reads = [
    { scope: first, read: useOverrides(first) },
    { scope: second, read: useOverrides(second) },
    { scope: third, read: useOverrides(third) },
  ];
  const asked = reads.flatMap(({ scope, read }) => (scope ? [{ scope, read }] : []));
  const known = asked.flatMap(({ scope, read }): ScopeOverrides[] =>
    read.data ? [{ scope, rows: read.data }] : [],
  );
  const all = [rules, scopes, ...asked.map(({ read }) => read)];
  const isRead = rules.data !== undefined && scopes.data !== undefined && known.length === asked.length;
  return {
    data: isRead ? rules.data?.map((rule) => ruleAt(rule, known)) : undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => all.map((one) => one.refetch()),
  };
}

export interface Saving {
  save(place: Place, values: Values): void;
  remove(place: Place): void;
  isPending: boolean;
  error: ApiError | null;
}

const asDefaults = ({ operator, threshold, severity, is_enabled }: Values) => ({
  default_operator: operator,
  default_threshold: threshold,
  default_severity: severity,
  default_enabled: is_enabled,
});

export function useSaving({ id, built_in }: Rule, onDone: () => void): Saving {
  const update = useOperationMutation('updateAlertRule');
  const set = useOperationMutation('setAlertOverride');
  const drop = useOperationMutation('deleteAlertOverride');
  const all = [update, set, drop];
  const begin = () => {
    for (const one of all) one.reset();
  };
  const done = { onSuccess: onDone };
  const paramsOf = ({ scope, scope_id }: Scope) => ({ scope, scopeId: scope_id, ruleId: id });
  return {
    save({ scope }, values) {
      begin();
      const { operator, threshold, severity, is_enabled: enabled } = values;
      if (scope === undefined) update.mutate({ params: { id }, body: asDefaults(values) }, done);
      else set.mutate({ params: paramsOf(scope), body: { operator, threshold, severity, enabled } }, done);
    },
    remove({ scope }) {
      begin();
      if (scope) drop.mutate({ params: paramsOf(scope) }, done);
      else update.mutate({ params: { id }, body: asDefaults(built_in) }, done);
    },
    isPending: all.some((one) => one.isPending),
    error: all.find((one) => one.error)?.error ?? null,
  };
}
