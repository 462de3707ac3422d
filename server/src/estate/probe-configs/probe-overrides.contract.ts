// What is set for a server, a cluster or a group instead of what holds for the whole estate.
import { ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { ofOverride, ofScope } from '../scopes/scopes.schemas.ts';
import { ProbeOverride, ProbeOverrideUpdate } from './probe-configs.schemas.ts';

const operation = operationsOf({ tag: 'probe-overrides' });
const ofProbe = ofOverride({ probeName: s.text() });
const scopeExample = { scope: 'server', scopeId: 1 };
const paramsExample = { ...scopeExample, probeName: 'pg_stat_database' };

export const listProbeOverrides = operation({
  id: 'listProbeOverrides',
  route: 'GET /api/v1/probe-overrides/{scope}/{scopeId}',
  summary: 'List probe overrides for a scope',
  access: { object: 'scope' },
  params: ofScope,
  paramsExample: scopeExample,
  success: ok(s.list(ProbeOverride), [
    {
      name: 'pg_stat_database',
      description: 'Activity of each database.',
      default_enabled: true,
      default_interval_seconds: 300,
      default_retention_days: 7,
      has_override: true,
      override_enabled: true,
      override_interval_seconds: 60,
      override_retention_days: 14,
    },
  ]),
  notes: ['One row for every probe; override_* are null when unset.'],
});

export const setProbeOverride = operation({
  id: 'setProbeOverride',
  route: 'PUT /api/v1/probe-overrides/{scope}/{scopeId}/{probeName}',
  summary: 'Create or update an override',
  access: { object: 'scope', permission: 'manage_probes', whole: true },
  params: ofProbe,
  paramsExample,
  body: ProbeOverrideUpdate,
  bodyExample: { is_enabled: true, collection_interval_seconds: 60, retention_days: 14 },
  success: ok(StatusResponse, { status: 'ok' }),
  notes: ['Sets all three values. status is "ok". 404 for an unknown probe or scope.'],
});

export const deleteProbeOverride = operation({
  id: 'deleteProbeOverride',
  route: 'DELETE /api/v1/probe-overrides/{scope}/{scopeId}/{probeName}',
  summary: 'Delete an override',
  access: { object: 'scope', permission: 'manage_probes', whole: true },
  params: ofProbe,
  paramsExample,
  success: ok(StatusResponse, { status: 'ok' }),
  notes: ['Idempotent for a known scope and probe. status is "ok".'],
});
