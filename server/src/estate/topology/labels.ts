// Names made from the names of connections: labels of spock clusters, which are kept for good, and what clusters are
// called until somebody names them. Pure. Guards: a label belongs to one cluster, and follows its nodes.
import { nameFromServer } from '../../kernel/clean-name.ts';
import { first } from './groups.ts';
import type { Server } from './servers.ts';
import type { Label } from './types.ts';

const SEPARATOR = /[\s\-_.:/@#]/;
const AT_THE_ENDS = /^[\s\-_.:/@#]+|[\s\-_.:/@#]+$/g;

/** The common beginning of the names up to its last separator; empty when there is none. */
export function commonPrefix(names: readonly string[]): string {
  const [one = '', ...others] = names;
  let length = one.length;
  for (const other of others) {
    let same = 0;
    while (same < length && same < other.length && one[same]?.toLowerCase() === other[same]?.toLowerCase())
      same += 1;
    length = same;
  }
  const common = [...one.slice(0, length)];
  const last = common.findLastIndex((letter) => SEPARATOR.test(letter));
  return common.slice(0, Math.max(0, last)).join('').replace(AT_THE_ENDS, '');
}

/** Nodes of spock, in a cluster. */
export interface SpockGroup {
  readonly id: number;
  readonly node_keys: readonly string[];
  readonly node_names: readonly string[];
  readonly names: readonly string[];
}

/** What names a node of spock for good: it outlives a failover to a standby. */
export const nodeKey = ({ id, system_identifier, role }: Server): string =>
  `${system_identifier ?? `connection-${id}`}/${role?.spock?.node_id ?? ''}`;

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function newLabel({ names, node_names }: SpockGroup, taken: ReadonlySet<string>): string {
  const prefix = commonPrefix(names).toLowerCase();
  const smallest = (nameFromServer(first(node_names, byText) ?? '') ?? 'spock').toLowerCase();
  const wishes = [prefix, smallest].filter((wish) => wish !== '');
  const free = wishes.find((wish) => !taken.has(wish));
  if (free !== undefined) return free;
  for (let n = 2; ; n += 1) {
    const numbered = `${wishes[0]}-${n}`;
    if (!taken.has(numbered)) return numbered;
  }
}

export interface Labelled {
  /** By the id of the group. */
  readonly labels: ReadonlyMap<number, string>;
  /** Those to be stored: new ones, and ones with further nodes. */
  readonly changed: readonly Label[];
}

interface Claim {
  group: SpockGroup;
  label: Label;
  shared: number;
}

/** Labels that groups have by their nodes; where several claim one, whoever has more of its nodes. */
function keptLabels(groups: readonly SpockGroup[], labels: readonly Label[]): Map<number, Label> {
  const claims: Claim[] = groups.flatMap((group) =>
    labels.flatMap((label) => {
      const shared = label.node_keys.filter((key) => group.node_keys.includes(key)).length;
      return shared > 0 ? [{ group, label, shared }] : [];
    }),
  );
  claims.sort(
    (a, b) => b.shared - a.shared || byText(a.label.label, b.label.label) || a.group.id - b.group.id,
  );
  const kept = new Map<number, Label>();
  const given = new Set<string>();
  for (const { group, label } of claims) {
    if (kept.has(group.id) || given.has(label.label)) continue;
    kept.set(group.id, label);
    given.add(label.label);
  }
  return kept;
}

/** A label for each group. */
export function labelsFor(groups: readonly SpockGroup[], known: readonly Label[]): Labelled {
  const kept = keptLabels(groups, known);
  const taken = new Set(known.map(({ label }) => label));
  const labels = new Map<number, string>();
  const changed: Label[] = [];
  for (const group of [...groups].sort((a, b) => a.id - b.id)) {
    const old = kept.get(group.id);
    const label = old?.label ?? newLabel(group, taken);
    taken.add(label);
    labels.set(group.id, label);
    const elsewhere = new Set(groups.flatMap((one) => (one.id === group.id ? [] : one.node_keys)));
    const before = old?.node_keys ?? [];
    const node_keys = [...new Set([...before.filter((key) => !elsewhere.has(key)), ...group.node_keys])].sort(
      byText,
    );
    if (node_keys.join('\n') !== [...before].sort(byText).join('\n')) changed.push({ label, node_keys });
  }
  return { labels, changed };
}

export interface Nameless {
  readonly key: string;
  /** Its name until now. */
  readonly before: string | undefined;
  readonly names: readonly string[];
  /** Of the connection that leads it. */
  readonly leader: string;
}

/**
 * A name for each cluster: what the names of its servers have in common if no other cluster is called so, else the
 * name of the server that led it when it was named.
 */
export function namesFor(clusters: readonly Nameless[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const shared = clusters.map((one) => {
    const common = one.names.length > 1 ? commonPrefix(one.names) : '';
    return { ...one, common, isKept: common !== '' && common === one.before };
  });
  shared.sort((a, b) => Number(b.isKept) - Number(a.isKept) || byText(a.key, b.key));
  for (const { common, ...one } of shared) {
    const led = one.before !== undefined && one.names.includes(one.before) ? one.before : one.leader;
    const name = common !== '' && !taken.has(common.toLowerCase()) ? common : led;
    taken.add(name.toLowerCase());
    names.set(one.key, name);
  }
  return names;
}
