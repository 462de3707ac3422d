// What probes are set to for the whole estate, and what holds for one connection. Guards: the catalog says which
// probes there are, so a row of one that this program does not have is nobody's.

import { type Ctx, inTransaction, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import type { Static } from '../../kernel/schema.ts';
import { didYouMean } from '../../kernel/suggest.ts';
import { probes } from '../../probes/catalog.gen.ts';
import type { Probe } from '../../probes/types.ts';
import { offWords } from './effective.service.ts';
import * as queries from './probe-configs.queries.ts';
import {
  INTERVAL_BOUNDS,
  type ProbeConfig,
  type ProbeConfigUpdate,
  type ProbeOverview,
  type ProbeScope,
  type ProbeSetting,
  type ProbeSettingsResponse,
  type ProbeValues,
  USUAL_LEAST_SECONDS,
} from './probe-configs.schemas.ts';

type Config = Static<typeof ProbeConfig>;
type Change = Static<typeof ProbeConfigUpdate>;

const catalog: ReadonlyMap<string, Probe> = new Map(probes.map((probe) => [probe.name, probe]));
export const probeNames: readonly string[] = [...catalog.keys()];

export const describe = (name: string): string => catalog.get(name)?.description ?? '';

/** 404 for a name in a path that is no probe's. */
export function demandProbe(name: string): Probe {
  const probe = catalog.get(name);
  if (probe) return probe;
  throw new Fault('not_found', `There is no probe ${cutText(name, 80)}.${didYouMean(name, probeNames)}`);
}

const valuesOf = ({
  is_enabled,
  interval_seconds,
  retention_days,
}: queries.Values): Static<typeof ProbeValues> => ({
  is_enabled,
  collection_interval_seconds: interval_seconds,
  retention_days,
});

function configOf(row: queries.ConfigRow): Config {
  const { id, connection_id, probe_name, created_at, updated_at } = row;
  const description = describe(probe_name);
  return { id, connection_id, name: probe_name, description, ...valuesOf(row), created_at, updated_at };
}

/** Access to the connection has been checked. */
export async function listProbeConfigs(ctx: Ctx, connection_id: number | undefined): Promise<Config[]> {
  const rows =
    connection_id === undefined
      ? await queries.listGlobal(ctx.db, probeNames)
      : await queries.listEffective(ctx.db, connection_id, probeNames);
  return rows.map(configOf);
}

function demandRow(row: queries.ConfigRow | undefined): queries.ConfigRow {
  if (!row) throw new Fault('not_found', 'There is no such probe configuration.');
  return row;
}

export async function getProbeConfig(ctx: Ctx, id: number): Promise<Config> {
  return configOf(demandRow(await queries.findGlobal(ctx.db, id, probeNames)));
}

/** The row, once it is changed, told to the audit log. */
async function changed(tx: Ctx, row: queries.ConfigRow, details: { is_reset: boolean }): Promise<Config> {
  const { id, probe_name: name } = row;
  await recordAudit(tx, {
    action: 'settings.change',
    target: { kind: 'probe', id, name },
    details: { ...details, ...valuesOf(row) },
  });
  return configOf(row);
}

/** 400 for less than the least interval of that probe, which is what it is built to where that is less than the usual. */
export function demandInterval(probeName: string, seconds: number | undefined): void {
  const built = catalog.get(probeName)?.intervalSeconds ?? USUAL_LEAST_SECONDS;
  const { minimum, maximum } = INTERVAL_BOUNDS;
  const least = built < USUAL_LEAST_SECONDS ? minimum : USUAL_LEAST_SECONDS;
  if (seconds === undefined || seconds >= least) return;
  throw new Fault(
    'bad_request',
    `collection_interval_seconds must be an integer from ${least} to ${maximum}.`,
  );
}

/** Absent members stay. The caller's permission has been checked. */
export async function updateProbeConfig(
  ctx: Ctx,
  { id, change }: { id: number; change: Change },
): Promise<Config> {
  const { is_enabled, collection_interval_seconds: interval_seconds, retention_days } = change;
  if (is_enabled === undefined && interval_seconds === undefined && retention_days === undefined)
    throw new Fault(
      'bad_request',
      'Give at least one of is_enabled, collection_interval_seconds and retention_days.',
    );
  return inTransaction(ctx, async (tx) => {
    const row = await queries.updateGlobal(tx.db, {
      id,
      names: probeNames,
      ...(is_enabled !== undefined && { is_enabled }),
      ...(interval_seconds !== undefined && { interval_seconds }),
      ...(retention_days !== undefined && { retention_days }),
    });
    const found = demandRow(row);
    // Refused, all of it is undone.
    demandInterval(found.probe_name, interval_seconds);
    return changed(tx, found, { is_reset: false });
  });
}

/** The caller's permission has been checked. */
export function resetProbeConfig(ctx: Ctx, id: number): Promise<Config> {
  return inTransaction(ctx, async (tx) =>
    changed(tx, demandRow(await queries.resetGlobal(tx.db, id, probeNames)), { is_reset: true }),
  );
}

function overviewOf(row: queries.OverviewRow): Static<typeof ProbeOverview> {
  const { probe_name, default_interval_seconds, default_retention_days, ...rest } = row;
  const { overridden_connections, disabled_connections, connections } = rest;
  const { cost_percent_mean, cost_percent_most, measured_connections } = rest;
  return {
    id: row.id,
    name: probe_name,
    description: describe(probe_name),
    ...valuesOf(row),
    built_in: {
      is_enabled: true,
      collection_interval_seconds: default_interval_seconds,
      retention_days: default_retention_days,
    },
    slowest_interval_seconds: catalog.get(probe_name)?.adaptive?.slowestSeconds ?? null,
    overridden_connections,
    disabled_connections,
    connections,
    cost_percent_mean,
    cost_percent_most,
    measured_connections,
  };
}

/** Counts and costs are of the connections that the caller can see. */
export async function listProbes(ctx: Ctx): Promise<Static<typeof ProbeOverview>[]> {
  return (await queries.listOverview(ctx.db, ctx.principal, probeNames)).map(overviewOf);
}

function scopesOf(connection_id: number, row: queries.SettingRow): Static<typeof ProbeScope>[] {
  const { cluster_id, cluster_name, group_id, group_name, server_name } = row;
  return [
    ...(group_id === null ? [] : [{ scope: 'group' as const, scope_id: group_id, name: group_name ?? '' }]),
    ...(cluster_id === null
      ? []
      : [{ scope: 'cluster' as const, scope_id: cluster_id, name: cluster_name ?? '' }]),
    { scope: 'server' as const, scope_id: connection_id, name: server_name },
  ];
}

function settingOf(row: queries.SettingRow): Static<typeof ProbeSetting> {
  const { group, cluster, server } = row.overrides;
  const set = { built_in: row.built_in, global: row.global ?? undefined, group, cluster, server };
  const names = { cluster: row.cluster_name, group: row.group_name };
  const level = row.override_level;
  const scope_name = level === 'cluster' || level === 'group' ? names[level] : null;
  return {
    config_id: row.config_id,
    name: row.probe_name,
    description: describe(row.probe_name),
    ...valuesOf(row),
    level,
    levels: (['built_in', 'global', 'group', 'cluster', 'server'] as const).flatMap((one) => {
      const values = set[one];
      return values ? [{ level: one, ...valuesOf(values) }] : [];
    }),
    reason: row.is_enabled ? null : offWords(level, scope_name),
  };
}

/** One statement. Access to the connection has been checked. */
export async function getProbeSettings(
  ctx: Ctx,
  connection_id: number,
): Promise<Static<typeof ProbeSettingsResponse>> {
  const rows = await queries.listSettings(ctx.db, connection_id, probeNames);
  const [first] = rows;
  return {
    connection_id,
    scopes: first ? scopesOf(connection_id, first) : [],
    probes: rows.map(settingOf),
  };
}
