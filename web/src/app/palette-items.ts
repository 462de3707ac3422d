// What the palette finds: servers and their parts, databases and statements of all servers, pages and actions. Pure. Guards: nothing that the reader may not open is offered; each word that is typed has to be somewhere in an item.

import type { OperationTypes } from '../api/operations.gen.ts';
import type { EstateServer, UserInfo } from '../api/types.ts';
import { type Cluster, clusterPath, serversOf } from '../features/estate/clusters/model.ts';
import { matches } from '../features/estate/estate/server-state.ts';
import { mayUse } from '../features/identity/auth/use-user.ts';
import { SERVER_TABS } from '../features/insight/servers/server-tabs.tsx';
import { countOf } from '../lib/format.ts';
import { cutText } from '../lib/inert-text.ts';
import { PAGES } from './pages.ts';

export type Action = 'light' | 'dark' | 'auto' | 'comfortable' | 'compact' | 'print' | 'sign-out';

export interface PaletteItem {
  key: string;
  title: string;
  detail?: string;
  /** Where it leads, or what it does. */
  does: { path: string } | { action: Action };
}

export interface PaletteGroup {
  title: string;
  items: PaletteItem[];
}

const ACTIONS: readonly (PaletteItem & { does: { action: Action } })[] = [
  { key: 'print', title: 'Print this page', detail: 'or keep it as PDF', does: { action: 'print' } },
  { key: 'light', title: 'Light theme', does: { action: 'light' } },
  { key: 'dark', title: 'Dark theme', does: { action: 'dark' } },
  { key: 'auto', title: 'Theme as the system', does: { action: 'auto' } },
  { key: 'compact', title: 'Compact tables', does: { action: 'compact' } },
  { key: 'comfortable', title: 'Comfortable tables', does: { action: 'comfortable' } },
  { key: 'sign-out', title: 'Sign out', does: { action: 'sign-out' } },
];

const MOST = 8;

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

const fits = (words: readonly string[], ...texts: (string | undefined)[]): boolean => {
  const text = texts.join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
};

const serverItem = ({ connection_id, name, host, port }: EstateServer): PaletteItem => ({
  key: `server-${connection_id}`,
  title: name,
  detail: `${host}:${port}`,
  does: { path: `/servers/${connection_id}` },
});

const clusterItem = (cluster: Cluster): PaletteItem => ({
  key: `cluster-${cluster.id}`,
  title: cluster.name,
  detail: countOf(serversOf(cluster).length, 'server'),
  does: { path: clusterPath(cluster) },
});

/** Parts of the server one is at; of any other where more than one word is typed, such as "orders locks". */
function partsOf(
  servers: readonly EstateServer[],
  { here, words }: { here: number | undefined; words: readonly string[] },
): PaletteItem[] {
  const items: PaletteItem[] = [];
  for (const { connection_id: id, name } of servers) {
    if (id !== here && words.length < 2) continue;
    for (const { key, title } of SERVER_TABS) {
      const isFound =
        words.length > 0 && fits(words, title, name) && words.some((word) => fits([word], title));
      if (isFound && items.length < MOST)
        items.push({
          key: `part-${id}-${key}`,
          title,
          detail: name,
          does: { path: `/servers/${id}?tab=${key}` },
        });
    }
  }
  return items;
}

function pageItems(user: UserInfo | undefined): PaletteItem[] {
  return PAGES.flatMap(({ path, title, isPublic, permissions, icon }) => {
    const isOffered = !isPublic && !path.includes(':') && (icon !== undefined || path === '/account');
    if (!isOffered || (permissions && !mayUse(user, ...permissions))) return [];
    return [{ key: `page-${path}`, title, does: { path } }];
  });
}

type PaletteResult = OperationTypes['searchEstate']['result'];

export interface KnownItems {
  user: UserInfo | undefined;
  servers: readonly EstateServer[];
  /** Of several servers. */
  clusters: readonly Cluster[];
  /** The server one is at. */
  here: number | undefined;
  /** What was found on all servers for these words; undefined: it is not known yet. */
  found: PaletteResult | undefined;
}

const ADD: PaletteItem = {
  key: 'page-/servers/new',
  title: 'Add a server',
  does: { path: '/servers/new' },
};

const databaseItems = (found: PaletteResult['databases']): PaletteItem[] =>
  found.map(({ connection_id: id, server_name, database_name }) => ({
    key: `database-${id}-${database_name}`,
    title: database_name,
    detail: server_name,
    does: { path: `/servers/${id}?${new URLSearchParams({ tab: 'tables', database: database_name })}` },
  }));

const statementItems = (found: PaletteResult['statements']): PaletteItem[] =>
  found.map(({ connection_id: id, server_name, database_name, queryid, query }) => ({
    key: `statement-${id}-${queryid}`,
    title: cutText(query.replaceAll(/\s+/g, ' '), 120),
    detail: `${server_name}, ${database_name}`,
    does: { path: `/servers/${id}/queries/${queryid}` },
  }));

/** What fits the words, in groups; without words the pages and what can be done. */
export function paletteGroups(text: string, known: KnownItems): PaletteGroup[] {
  const { user, servers, clusters, here, found: more } = known;
  const words = wordsOf(text);
  const found = words.length === 0 ? [] : servers.filter((server) => matches(server, text.trim()));
  const together = words.length === 0 ? [] : clusters.filter(({ name }) => fits(words, name));
  const mayAdd = mayUse(user, 'manage_connections');
  const pages = [...pageItems(user), ...(mayAdd ? [ADD] : [])].filter(({ title }) => fits(words, title));
  const actions = ACTIONS.filter(({ title, detail }) => fits(words, title, detail));
  const groups = [
    { title: 'Servers', items: found.slice(0, MOST).map(serverItem) },
    { title: 'Clusters', items: together.slice(0, MOST).map(clusterItem) },
    { title: 'Parts of a server', items: partsOf(servers, { here, words }) },
    { title: 'Databases', items: databaseItems(more?.databases ?? []) },
    { title: 'Statements', items: statementItems(more?.statements ?? []) },
    { title: 'Pages', items: pages },
    { title: 'Actions', items: actions },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
