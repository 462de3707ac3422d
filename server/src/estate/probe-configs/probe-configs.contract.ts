// What probes are set to for the whole estate, and what holds for one connection.
import { byId, ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import {
  ProbeConfig,
  ProbeConfigUpdate,
  ProbeOverview,
  ProbeSettingsResponse,
} from './probe-configs.schemas.ts';

const operation = operationsOf({ tag: 'probe-configs' });
const time = '2026-11-20T10:00:00.000Z';

const values = { is_enabled: true, collection_interval_seconds: 300, retention_days: 7 };
const config = {
  id: 1,
  connection_id: null,
  ...values,
  name: 'pg_stat_database',
  description: 'Activity of each database.',
  created_at: time,
  updated_at: time,
};

export const listProbeConfigs = operation({
  id: 'listProbeConfigs',
  route: 'GET /api/v1/probe-configs',
  summary: 'List probe configurations',
  access: { connections: ['connection_id'], need: 'read' },
  query: s.object({ connection_id: s.optional(s.id()) }),
  success: ok(s.list(ProbeConfig), [config]),
  notes: [
    'Without connection_id: exactly the global rows (connection_id null), ordered by name.',
    'With connection_id: the effective configuration of every probe for that connection, connection_id set to it and id that of the global row.',
  ],
});

export const getProbeConfig = operation({
  id: 'getProbeConfig',
  route: 'GET /api/v1/probe-configs/{id}',
  summary: 'Get a probe configuration',
  access: 'signed-in',
  ...byId(1),
  faults: [404],
  success: ok(ProbeConfig, config),
  notes: ['id is a global row.'],
});

export const updateProbeConfig = operation({
  id: 'updateProbeConfig',
  route: 'PUT /api/v1/probe-configs/{id}',
  summary: 'Update a probe configuration',
  access: { permission: 'manage_probes', estate: true },
  ...byId(1),
  body: ProbeConfigUpdate,
  bodyExample: { collection_interval_seconds: 600 },
  faults: [404],
  success: ok(ProbeConfig, { ...config, collection_interval_seconds: 600 }),
  notes: [
    'Partial, at least one member, of the global row. Takes effect at the next tick without a restart.',
  ],
});

export const resetProbeConfig = operation({
  id: 'resetProbeConfig',
  route: 'POST /api/v1/probe-configs/{id}/reset',
  summary: 'Set a probe back to how it is built',
  access: { permission: 'manage_probes', estate: true },
  ...byId(1),
  faults: [404],
  extra: true,
  success: ok(ProbeConfig, config),
  notes: ['Overrides stay.'],
});

export const listProbes = operation({
  id: 'listProbes',
  route: 'GET /api/v1/probes',
  summary: 'Every probe with its setting, its measured cost and where it is overridden',
  access: { visible: 'connections' },
  extra: true,
  success: ok(s.list(ProbeOverview), [
    {
      id: 1,
      name: 'pg_stat_database',
      description: 'Activity of each database.',
      ...values,
      built_in: values,
      slowest_interval_seconds: null,
      overridden_connections: 2,
      disabled_connections: 0,
      connections: 40,
      cost_percent_mean: 0.004,
      cost_percent_most: 0.02,
      measured_connections: 38,
    },
  ]),
});

export const getProbeSettings = operation({
  id: 'getProbeSettings',
  route: 'GET /api/v1/connections/{id}/probe-settings',
  summary: 'What each probe is set to for a connection, and where that comes from',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  extra: true,
  success: ok(ProbeSettingsResponse, {
    connection_id: 2,
    scopes: [
      { scope: 'group', scope_id: 1, name: 'Ungrouped' },
      { scope: 'server', scope_id: 2, name: 'orders-primary' },
    ],
    probes: [
      {
        config_id: 1,
        name: 'pg_stat_database',
        description: 'Activity of each database.',
        ...values,
        collection_interval_seconds: 60,
        level: 'server',
        levels: [
          { level: 'built_in', ...values },
          { level: 'server', ...values, collection_interval_seconds: 60 },
        ],
        reason: null,
      },
    ],
  }),
});
