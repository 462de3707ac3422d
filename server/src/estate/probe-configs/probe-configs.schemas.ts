// The shapes of what probes are set to, and the bounds that hold wherever it is set.
import * as s from '../../kernel/schema.ts';
import { SCOPES } from '../scopes/scopes.schemas.ts';

export const INTERVAL_BOUNDS = { minimum: 1, maximum: 86_400 } as const;
/** Of all probes but those that are built to run more often. */
export const USUAL_LEAST_SECONDS = 5;
const RETENTION_BOUNDS = { minimum: 1, maximum: 3650 } as const;

/** From where a setting comes: the later ones win. */
const LEVELS = ['built_in', 'global', 'group', 'cluster', 'server'] as const;

const isEnabled = s.boolean();
const interval = s.integer({
  ...INTERVAL_BOUNDS,
  description: 'At least 5, or 1 for a probe that is built to run more often than every 5 seconds.',
});
const retention = s.integer(RETENTION_BOUNDS);

export const ProbeConfig = s.component('ProbeConfig', {
  id: s.integer(),
  connection_id: s.nullable(s.integer()),
  is_enabled: s.boolean(),
  name: s.text(),
  description: s.text(),
  collection_interval_seconds: s.integer(),
  retention_days: s.integer(),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
});

export const ProbeConfigUpdate = s.component('ProbeConfigUpdate', {
  is_enabled: s.optional(isEnabled),
  collection_interval_seconds: s.optional(interval),
  retention_days: s.optional(retention),
});

export const ProbeOverride = s.component('ProbeOverride', {
  name: s.text(),
  description: s.text(),
  default_enabled: s.boolean(),
  default_interval_seconds: s.integer(),
  default_retention_days: s.integer(),
  has_override: s.boolean(),
  override_enabled: s.nullable(s.boolean()),
  override_interval_seconds: s.nullable(s.integer()),
  override_retention_days: s.nullable(s.integer()),
});

export const ProbeOverrideUpdate = s.component('ProbeOverrideUpdate', {
  is_enabled: isEnabled,
  collection_interval_seconds: interval,
  retention_days: retention,
});

const values = {
  is_enabled: s.boolean(),
  collection_interval_seconds: s.integer(),
  retention_days: s.integer(),
};

export const ProbeValues = s.component('ProbeValues', values);

export const ProbeOverview = s.component('ProbeOverview', {
  id: s.integer({ description: 'Of the row that holds for the whole estate.' }),
  name: s.text(),
  description: s.text(),
  ...values,
  built_in: ProbeValues,
  slowest_interval_seconds: s.nullable(
    s.integer({ description: 'Of a probe that runs less often while nothing goes on.' }),
  ),
  overridden_connections: s.integer({ description: 'Visible connections for which an override holds.' }),
  disabled_connections: s.integer({ description: 'Visible connections for which it is switched off.' }),
  connections: s.integer({ description: 'All visible connections.' }),
  cost_percent_mean: s.nullable(
    s.number({ description: 'Of one core of a server, over the visible ones it was measured on.' }),
  ),
  cost_percent_most: s.nullable(s.number()),
  measured_connections: s.integer(),
});

export const ProbeScope = s.component('ProbeScope', {
  scope: s.oneOf(SCOPES),
  scope_id: s.id(),
  name: s.text(),
});

const ProbeLevel = s.component('ProbeLevel', { level: s.oneOf(LEVELS), ...values });

export const ProbeSetting = s.component('ProbeSetting', {
  config_id: s.integer({ description: 'Of the row that holds for the whole estate.' }),
  name: s.text(),
  description: s.text(),
  ...values,
  level: s.oneOf(LEVELS, { description: 'From where the values in force come.' }),
  levels: s.list(ProbeLevel, {
    description: 'What is set, from the most general to the most specific; the last one is in force.',
  }),
  reason: s.nullable(s.text({ description: 'Why it is switched off, and where to switch it on.' })),
});

export const ProbeSettingsResponse = s.component('ProbeSettingsResponse', {
  connection_id: s.id(),
  scopes: s.list(ProbeScope, { description: 'Where overrides for this connection can stand.' }),
  probes: s.list(ProbeSetting),
});
