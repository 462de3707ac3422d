// From how many rows on, and from what age on, autovacuum looks after a table: the settings, and storage parameters where a table has its
// own. Guards: the same rules as the server's own (relation_needs_vacanalyze); settings are read once and not for each table.
import { type Capabilities, hasColumn } from './types.ts';

/** Its columns tell what a version goes by: a probe that uses this names it among its views. */
export const CLASS = 'pg_catalog.pg_class';

/** Settings that thresholds follow from and that a table can have of its own, as storage parameters of the same names. */
const PARAMETERS = {
  autovacuum_vacuum_threshold: 'float8',
  autovacuum_vacuum_scale_factor: 'float8',
  autovacuum_vacuum_insert_threshold: 'float8',
  autovacuum_vacuum_insert_scale_factor: 'float8',
  autovacuum_analyze_threshold: 'float8',
  autovacuum_analyze_scale_factor: 'float8',
  autovacuum_freeze_max_age: 'bigint',
  autovacuum_multixact_freeze_max_age: 'bigint',
} as const;

/** Of 18. */
const CAP = 'autovacuum_vacuum_max_threshold';

const parameters = (capabilities: Capabilities) =>
  Object.entries({ ...PARAMETERS, ...(isCapped(capabilities) && { [CAP]: 'float8' }) });

/** `g` in a statement: what holds for all tables, read once and not for each. */
export const settings = (capabilities: Capabilities): string => `select
${[['block_size', 'bigint'], ['autovacuum', 'boolean'], ...parameters(capabilities)]
  .map(([name, type]) => `    pg_catalog.current_setting('${name}')::${type} as ${name}`)
  .join(',\n')}`;

/** `o` in a statement that has tables as `z`: storage parameters of the few tables that have any. None can be set to what is not in force. */
export const ownParameters = (capabilities: Capabilities): string => `select c.oid, r.*
  from z c
  -- A TOAST table without parameters of its own goes by those of its table.
  left join z main on c.relkind = 't' and main.reltoastrelid = c.oid
  cross join lateral pg_catalog.jsonb_to_record((
    select pg_catalog.jsonb_object_agg(p.option_name, p.option_value)
    from pg_catalog.pg_options_to_table(coalesce(c.reloptions, main.reloptions)) p
  )) as r (
    autovacuum_enabled boolean,
${parameters(capabilities)
  .map(([name, type]) => `    ${name} ${type}`)
  .join(',\n')}
  )
  where coalesce(c.reloptions, main.reloptions) is not null`;

/** The storage parameter, else the setting. */
const parameter = (name: keyof typeof PARAMETERS | typeof CAP) => `coalesce(o.${name}, g.${name})`;

export const isCapped = (capabilities: Capabilities): boolean =>
  hasColumn(capabilities, CLASS, 'relallfrozen');

/** 18 counts only the pages that are not all frozen, and caps the threshold. */
function insertShare(capabilities: Capabilities): string {
  if (!isCapped(capabilities)) return '1';
  return `case
        when c.relpages > 0 then 1 - least(c.relallfrozen, c.relpages)::float8 / c.relpages
        else 1
      end`;
}

function vacuumRows(capabilities: Capabilities): string {
  const vacuum = `${parameter('autovacuum_vacuum_threshold')}
      + ${parameter('autovacuum_vacuum_scale_factor')} * greatest(c.reltuples, 0)`;
  const most = parameter(CAP);
  return isCapped(capabilities) ? `least(case when ${most} >= 0 then ${most} end, ${vacuum})` : vacuum;
}

const insertRows = (capabilities: Capabilities) => `${parameter('autovacuum_vacuum_insert_threshold')}
      + ${parameter('autovacuum_vacuum_insert_scale_factor')} * greatest(c.reltuples, 0) * ${insertShare(capabilities)}`;

const ANALYZE_ROWS = `${parameter('autovacuum_analyze_threshold')}
      + ${parameter('autovacuum_analyze_scale_factor')} * greatest(c.reltuples, 0)`;

const freezeAge = (name: string) =>
  `case when c.relfrozenxid <> '0' then least(o.autovacuum_${name}, g.autovacuum_${name}) end as ${name}`;

/** Columns of the table `c`, for a select list; what it has not is null. */
export const thresholds = (
  capabilities: Capabilities,
): string => `case when c.relkind <> 'p' then pg_catalog.floor(${vacuumRows(capabilities)})::bigint end as vacuum_threshold,
    case
      when c.relkind <> 'p' and ${parameter('autovacuum_vacuum_insert_threshold')} >= 0
      then pg_catalog.floor(${insertRows(capabilities)})::bigint
    end as insert_vacuum_threshold,
    case when c.relkind in ('r', 'm') then pg_catalog.floor(${ANALYZE_ROWS})::bigint end as analyze_threshold,
    case when c.relkind <> 'p' then g.autovacuum and coalesce(o.autovacuum_enabled, true) end as autovacuum_enabled,
    ${freezeAge('freeze_max_age')},
    ${freezeAge('multixact_freeze_max_age')}`;
