// What a question asks about: the servers and the time that the page shows, until somebody widens them. Guards: what is widened is
// widened for this page only; the next page is followed again.

import { useState } from 'react';
import { useLocation } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { type Range, readTime, windowAt } from '../../../lib/time-window.ts';
import { iso } from '../../../lib/units.ts';
import { hourText, momentText, zoneName } from '../../../lib/zone.ts';
import { type Cluster, isLone, serversOf, storedId } from '../../estate/clusters/model.ts';
import { useScope } from '../../estate/clusters/use-scope.ts';
import { useTopology } from '../../estate/clusters/use-topology.ts';
import { useEstate } from '../../estate/estate/use-estate.ts';

type Body = OperationTypes['startChatRun']['body'];
export type Scope = NonNullable<Body['scope']>;

export interface PageScope {
  scope: Scope;
  name: string;
}

const ESTATE: PageScope = { scope: { kind: 'estate' }, name: 'the estate' };

const RANGE_WORDS: Record<Range, string> = {
  '5m': 'the last 5 minutes',
  '15m': 'the last 15 minutes',
  '1h': 'the last hour',
  '6h': 'the last 6 hours',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};

const serverScope = (id: number, name = `server ${id}`): PageScope => ({
  scope: { kind: 'server', id },
  name,
});

function clusterScope(key: string, cluster: Cluster | undefined): PageScope {
  const stored = storedId(key);
  if (stored !== undefined)
    return { scope: { kind: 'cluster', id: stored }, name: cluster?.name ?? `cluster ${stored}` };
  const [only] = cluster && isLone(cluster) ? serversOf(cluster) : [];
  // One that was detected, and of which nobody has said anything, has no number that a question could name.
  return only ? serverScope(only.id, only.name) : ESTATE;
}

/** The server of the alert or the finding whose page it is, as that page has read it: nothing is asked for here. */
function useServerOfPage(area: string | undefined, part: string): number | undefined {
  const is = (wanted: string) => area === wanted && /^\d{1,10}$/.test(part);
  const params = { id: Number(part) || 0 };
  const alert = useOperation('getAlert', { params }, { enabled: false }).data?.alert;
  const finding = useOperation('getFinding', { params }, { enabled: false }).data?.finding;
  if (is('alerts')) return alert?.connection_id;
  return is('findings') ? finding?.connection_id : undefined;
}

/** What the page shows. */
function usePageScope(): PageScope {
  const { pathname, search } = useLocation();
  const servers = useEstate().data?.servers ?? [];
  const clusters = (useTopology().data ?? []).flatMap((group) => group.clusters);
  const [chosen] = useScope();
  const nameOf = (id: number) => servers.find(({ connection_id }) => connection_id === id)?.name;
  const [area, part = ''] = pathname.split('/').filter(Boolean);
  const shown = useServerOfPage(area, part);
  if (area === 'servers' && /^\d{1,10}$/.test(part)) return serverScope(Number(part), nameOf(Number(part)));
  if (shown !== undefined) return serverScope(shown, nameOf(shown));
  if (area === 'clusters' && part !== '') {
    return clusterScope(
      part,
      clusters.find(({ id }) => encodeURIComponent(id) === part || id === part),
    );
  }
  const only = /^\d{1,10}$/.exec(new URLSearchParams(search).get('servers') ?? '')?.[0];
  if (only !== undefined) return serverScope(Number(only), nameOf(Number(only)));
  const { scope, scope_id } = chosen.target ?? {};
  return scope === undefined || scope_id === undefined
    ? ESTATE
    : { scope: { kind: scope, id: scope_id }, name: chosen.name };
}

/** The time that the address names, in words; undefined: up to now, as far back as an answer needs. */
function timeWords(search: URLSearchParams): string | undefined {
  const { fixed, range, zone } = readTime(search);
  if (!fixed) return search.get('range') === range ? RANGE_WORDS[range] : undefined;
  const name = zoneName(zone);
  const [from, to] = [momentText(fixed.from, name), momentText(fixed.to, name)];
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  return `${from} – ${isOneDay ? hourText(fixed.to, name, true) : to}`;
}

export interface Asking {
  of: PageScope;
  /** Of the page, where the question is not asked of it. */
  insteadOf: PageScope | undefined;
  /** In words; undefined: any time. */
  time: string | undefined;
  isAnyTime: boolean;
  widen: (isWide: boolean) => void;
  askOfAnyTime: (isAny: boolean) => void;
  /** What a question carries, at the moment in which it is asked. */
  context: () => Pick<Body, 'scope' | 'time' | 'page'>;
}

export function useAsking(): Asking {
  const { pathname, search } = useLocation();
  const page = usePageScope();
  const words = timeWords(new URLSearchParams(search));
  const key = `${page.scope.kind} ${page.scope.id ?? ''}`;
  const [wide, setWide] = useState<string>();
  const [anyTime, setAnyTime] = useState<string>();
  const isWide = wide === key && page.scope.kind !== 'estate';
  const isAnyTime = words !== undefined && anyTime === words;
  const of = isWide ? ESTATE : page;
  return {
    of,
    ...{ insteadOf: isWide ? page : undefined, time: words, isAnyTime },
    widen: (next) => setWide(next ? key : undefined),
    askOfAnyTime: (next) => setAnyTime(next ? words : undefined),
    context: () => {
      const { from, to } = windowAt(readTime(new URLSearchParams(search)), currentSecond() * 1000);
      return {
        ...{ scope: of.scope, page: `${pathname}${search}`.slice(0, 500) },
        ...(words !== undefined && !isAnyTime && { time: { start: iso(from), end: iso(to) } }),
      };
    },
  };
}
