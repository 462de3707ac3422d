// What a server says of itself as far as requirements depend on it: our role, its rights, extensions and settings.
// One statement over catalogs, which fails on no server; what the role may not see is null.
import { cutText } from '../../kernel/inert-text.ts';
import type { ReplyLimits } from '../../monitored/settings.ts';
import { EXTENSIONS, LOG_SETTINGS, ROLES, SETTINGS } from './dependencies.ts';
import { PLATFORM_DATABASES, type Platform, platformOf } from './platforms.ts';

export interface ExtensionReading {
  /** Version that is created in the database of the session. */
  installed: string | null;
  /** Version that could be created; null: its files are not on the server's machine. */
  available: string | null;
}

export interface SettingReading {
  value: string;
  /** As pg_settings says: configuration file, database, user, command line… */
  source: string;
  /** Changed, and waiting for a restart. */
  is_pending: boolean;
}

export interface ServerReading {
  readonly version_num: number;
  readonly database: string;
  readonly role: string;
  readonly is_superuser: boolean;
  /** Whether the role has the rights of roles that it is a member of, where a grant does not say so itself. */
  readonly inherits: boolean;
  readonly is_in_recovery: boolean;
  /** Predefined roles by name: `usage` has their rights, `member` may only switch to them. */
  readonly roles: ReadonlyMap<string, 'usage' | 'member' | 'none'>;
  readonly extensions: ReadonlyMap<string, ExtensionReading>;
  /** Those that exist and that the role may see. */
  readonly settings: ReadonlyMap<string, SettingReading>;
  /** The role is set to leave no trace in pg_stat_statements, which holds from its next session on. */
  readonly is_set_uncounted: boolean;
  /** The service that runs it; absent: nobody, as far as is known. */
  readonly platform?: Platform | undefined;
}

export const PRELOAD = 'shared_preload_libraries';

const literals = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');
const WANTED_SETTINGS = [
  PRELOAD,
  ...Object.keys(SETTINGS),
  ...LOG_SETTINGS,
  ...Object.values(EXTENSIONS).map(({ loadedSetting }) => loadedSetting),
];
const MEMBERSHIPS = ROLES.map(
  (role) => `pg_catalog.json_build_array('${role}', case
      when pg_catalog.pg_has_role('${role}', 'usage') then 'usage'
      when pg_catalog.pg_has_role('${role}', 'member') then 'member'
      else 'none'
    end)`,
).join(',\n    ');

export const READ_REQUIREMENTS = `/* requirements.read */
select
  pg_catalog.current_setting('server_version_num')::pg_catalog.int4 as version_num,
  pg_catalog.current_database()::pg_catalog.text as database,
  current_user::pg_catalog.text as role,
  r.rolsuper as is_superuser,
  r.rolinherit as inherits,
  pg_catalog.pg_is_in_recovery() as is_in_recovery,
  exists (
    select
    from pg_catalog.pg_db_role_setting u
    where u.setrole = r.oid
      and u.setdatabase = 0
      and 'pg_stat_statements.track=none' = any (u.setconfig)
  ) as is_set_uncounted,
  (
    select d.datname::pg_catalog.text
    from pg_catalog.pg_database d
    where d.datname in (${literals(PLATFORM_DATABASES)})
    limit 1
  ) as platform,
  pg_catalog.json_build_array(
    ${MEMBERSHIPS}
  ) as roles,
  (
    select pg_catalog.json_agg(pg_catalog.json_build_array(w.name, e.extversion, a.default_version))
    from pg_catalog.unnest(array[${literals(Object.keys(EXTENSIONS))}]::pg_catalog.text[]) as w (name)
    left join pg_catalog.pg_extension e on e.extname = w.name
    left join pg_catalog.pg_available_extensions a on a.name = w.name
  ) as extensions,
  (
    select pg_catalog.json_agg(
      pg_catalog.json_build_array(s.name, s.setting, s.source, s.pending_restart)
    )
    from pg_catalog.pg_settings s
    where s.name in (${literals(WANTED_SETTINGS)})
  ) as settings
from pg_catalog.pg_roles r
where r.rolname = current_user`;
/** What its answer may be at most; beside the statement, so that a new column is counted wherever it is read. */
export const REQUIREMENTS_REPLY: ReplyLimits = { columns: 11, rows: 1, bytes: 64 * 1024 };

function tuples(value: unknown): unknown[][] {
  if (!Array.isArray(value)) return [];
  return value.filter((entry): entry is unknown[] => Array.isArray(entry));
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? cutText(value, 1000) : null);
const text = (value: unknown) => textOrNull(value) ?? '';

const membership = (value: unknown) => (value === 'usage' || value === 'member' ? value : 'none');

/** The answer's row, whatever the server made of it; undefined when there is none. */
export function readServer(row: Record<string, unknown> | undefined): ServerReading | undefined {
  if (!row) return undefined;
  return {
    version_num: Number(row.version_num) || 0,
    database: text(row.database),
    role: text(row.role),
    is_superuser: row.is_superuser === true,
    inherits: row.inherits === true,
    is_in_recovery: row.is_in_recovery === true,
    is_set_uncounted: row.is_set_uncounted === true,
    platform: platformOf(text(row.platform)),
    roles: new Map(tuples(row.roles).map(([name, has]) => [text(name), membership(has)])),
    extensions: new Map(
      tuples(row.extensions).map(([name, installed, available]) => [
        text(name),
        { installed: textOrNull(installed), available: textOrNull(available) },
      ]),
    ),
    settings: new Map(
      tuples(row.settings).map(([name, value, source, pending]) => [
        text(name),
        { value: text(value), source: text(source), is_pending: pending === true },
      ]),
    ),
  };
}
