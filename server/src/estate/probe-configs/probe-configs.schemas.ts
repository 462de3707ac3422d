// The shapes of what probes are set to, and the bounds that hold wherever it is set.
import {
  boolean,
  component,
  id,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { SCOPES } from '../scopes/scopes.schemas.ts';

export const INTERVAL_BOUNDS = { minimum: 1, maximum: 86_400 } as const;
/** Of all probes but those that are built to run more often. */
export const USUAL_LEAST_SECONDS = 5;
const RETENTION_BOUNDS = { minimum: 1, maximum: 3650 } as const;

/** From where a setting comes: the later ones win. */
const LEVELS = ['built_in', 'global', 'group', 'cluster', 'server'] as const;

const isEnabled = boolean();
const interval = integer({
  ...INTERVAL_BOUNDS,
  description: 'At least 5, or 1 for a probe that is built to run more often than every 5 seconds.',
});
const retention = integer(RETENTION_BOUNDS);

export const ProbeConfig = component('ProbeConfig', {
  id: integer(),
  connection_id: nullable(integer()),
  is_enabled: boolean(),
  name: text(),
  description: text(),
  collection_interval_seconds: integer(),
  retention_days: integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
});

export const ProbeConfigUpdate = component('ProbeConfigUpdate', {
  is_enabled: optional(isEnabled),
  collection_interval_seconds: optional(interval),
  retention_days: optional(retention),
});

export const ProbeOverride = component('ProbeOverride', {
  name: text(),
  description: text(),
  default_enabled: boolean(),
  default_interval_seconds: integer(),
  default_retention_days: integer(),
  has_override: boolean(),
  override_enabled: nullable(boolean()),
  override_interval_seconds: nullable(integer()),
  override_retention_days: nullable(integer()),
});

export const ProbeOverrideUpdate = component('ProbeOverrideUpdate', {
  is_enabled: isEnabled,
  collection_interval_seconds: interval,
  retention_days: retention,
});

const values = { is_enabled: boolean(), collection_interval_seconds: integer(), retention_days: integer() };

export const ProbeValues = component('ProbeValues', values);

export const ProbeOverview = component('ProbeOverview', {
  id: integer({ description: 'Of the row that holds for the whole estate.' }),
  name: text(),
  description: text(),
  ...values,
  built_in: ProbeValues,
  slowest_interval_seconds: nullable(
    integer({ description: 'Of a probe that runs less often while nothing goes on.' }),
  ),
  overridden_connections: integer({ description: 'Visible connections for which an override holds.' }),
  disabled_connections: integer({ description: 'Visible connections for which it is switched off.' }),
  connections: integer({ description: 'All visible connections.' }),
  cost_percent_mean: nullable(
    number({ description: 'Of one core of a server, over the visible ones it was measured on.' }),
  ),
  cost_percent_most: nullable(number()),
  measured_connections: integer(),
});

export const ProbeScope = component('ProbeScope', { scope: oneOf(SCOPES), scope_id: id(), name: text() });

const ProbeLevel = component('ProbeLevel', { level: oneOf(LEVELS), ...values });

export const ProbeSetting = component('ProbeSetting', {
  config_id: integer({ description: 'Of the row that holds for the whole estate.' }),
  name: text(),
  description: text(),
  ...values,
  level: oneOf(LEVELS, { description: 'From where the values in force come.' }),
  levels: list(ProbeLevel, {
    description: 'What is set, from the most general to the most specific; the last one is in force.',
  }),
  reason: nullable(text({ description: 'Why it is switched off, and where to switch it on.' })),
});

export const ProbeSettingsResponse = component('ProbeSettingsResponse', {
  connection_id: id(),
  scopes: list(ProbeScope, { description: 'Where overrides for this connection can stand.' }),
  probes: list(ProbeSetting),
});
