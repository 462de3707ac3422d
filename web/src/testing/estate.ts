// A small estate for tests of components: a primary with its standby in a cluster, and servers that stand alone.
import type { EstateServer } from '../api/types.ts';
import type { Cluster, Group, Server } from '../features/estate/clusters/model.ts';
import type { Answers } from './api.ts';
import { ADMIN } from './show.tsx';

const AT = '2026-11-20T10:00:00.000Z';

const estateServer = (connection_id: number, name: string): EstateServer => ({
  connection_id,
  name,
  description: '',
  host: `${name}.example.com`,
  port: 5432,
  is_monitored: true,
  is_shared: true,
  owner_username: 'anna',
  may_manage: true,
  status: 'online',
  connection_error: null,
  version: '18.4',
  role: null,
  last_sample_at: AT,
  response_time_ms: 1,
  database_count: 1,
  size_bytes: 1,
  problem_count: 0,
});

const server = (id: number, name: string, children: Server[] = []): Server => ({
  id,
  name,
  description: '',
  host: `${name}.example.com`,
  port: 5432,
  status: 'online',
  active_alert_count: 0,
  role: children.length > 0 ? 'binary_primary' : 'standalone',
  primary_role: 'standalone',
  is_expandable: children.length > 0,
  membership_source: 'auto',
  owner_username: 'anna',
  version: '18.4',
  os: '',
  database_name: 'postgres',
  username: 'matriarch_monitor',
  relationships: [],
  children,
});

const alone = (one: Server): Cluster => ({
  id: `server-${one.id}`,
  name: one.name,
  description: '',
  cluster_type: 'server',
  auto_cluster_key: `standalone:${one.id}`,
  servers: [one],
});

/** The first one is the default group. */
export function group(number: number, name: string, clusters: Cluster[]): Group {
  const is_default = number === 1;
  return { id: `group-${number}`, name, description: '', is_shared: true, is_default, clusters };
}

export const ORDERS: Cluster = {
  id: 'cluster-4',
  name: 'orders',
  description: '',
  cluster_type: 'binary',
  replication_type: 'binary',
  auto_cluster_key: 'binary:2',
  servers: [server(1, 'orders-primary', [server(2, 'orders-standby')])],
};
export const BILLING: Cluster = alone(server(3, 'billing'));

const TOPOLOGY: readonly Group[] = [group(1, 'Ungrouped', [ORDERS, BILLING]), group(2, 'Production', [])];

/** What every page asks for. */
export const EVERYWHERE: Answers = {
  getUserInfo: ADMIN,
  getTopology: [...TOPOLOGY],
  listClusters: [],
  getEstate: {
    generated_at: AT,
    servers: ['orders-primary', 'orders-standby', 'billing'].map((name, at) => estateServer(at + 1, name)),
  },
};
