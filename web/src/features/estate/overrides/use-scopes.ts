// The scope that the address of a page names, the scopes above it, and what is set at each of them.
import type { ApiError } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { groupNumber, storedId } from '../clusters/model.ts';
import { useTopology } from '../clusters/use-topology.ts';
import type { Scope, ScopeKind, ScopeRows } from './scopes.ts';

/** Others change them seldom; what is changed here is read again at once. */
export const OTHERS_MS = 60_000;
const KINDS = ['group', 'cluster', 'server'] as const satisfies readonly ScopeKind[];
const MAX_ID = 2_147_483_647;

export interface Target {
  scope: ScopeKind;
  id: number;
}

/** The scope that the address names; undefined: the whole estate. */
export function useTarget(): [Target | undefined, (target: Target | undefined) => void] {
  const [text, set] = useUrlTexts(['scope', 'of']);
  const scope = KINDS.find((one) => one === text('scope'));
  const id = /^[1-9]\d{0,9}$/.test(text('of')) ? Number(text('of')) : 0;
  const target = scope === undefined || id === 0 || id > MAX_ID ? undefined : { scope, id };
  return [target, (next) => set({ scope: next?.scope ?? '', of: next ? String(next.id) : '' })];
}

export interface Read<Data> {
  data: Data | undefined;
  error: ApiError | null;
  refetch: () => unknown;
}

/** Where something can be set that holds there, from the most general to the most specific. */
function useScopes(target: Target | undefined): Read<Scope[]> {
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

/**
 * What is set at the target and above it, from the most general scope to the most specific. `useOverrides` reads what is set
 * for one scope, and nothing for none: there are three at most.
 */
export function useScopeRows<Row>(
  target: Target | undefined,
  useOverrides: (scope: Scope | undefined) => Read<Row[]>,
): Read<ScopeRows<Row>[]> & { scope: Scope | undefined } {
  const scopes = useScopes(target);
  const [first, second, third] = scopes.data ?? [];
  const reads = [
    { scope: first, read: useOverrides(first) },
    { scope: second, read: useOverrides(second) },
    { scope: third, read: useOverrides(third) },
  ];
  const needed = reads.flatMap(({ scope, read }) => (scope ? [{ scope, read }] : []));
  const known = needed.flatMap(({ scope, read }) => (read.data ? [{ scope, rows: read.data }] : []));
  const all = [scopes, ...needed.map(({ read }) => read)];
  return {
    scope: scopes.data?.at(-1),
    data: scopes.data !== undefined && known.length === needed.length ? known : undefined,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => all.map((one) => one.refetch()),
  };
}
