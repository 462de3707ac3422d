// Every cause for which a server withholds something that we collect, with how it shows, what is said of it and what
// mends it. The one table behind the connection test, the collector, the coverage and the doctor; a test brings real
// servers into each state and runs each remedy. Pure. Guards: what a standby takes from its primary alone is never
// asked of the standby, and nothing that is preloaded today is dropped by what we tell people to run.
import type { Cause } from '../causes.ts';
import { CREATE_STATEMENTS, knownExtension, knownSetting } from './dependencies.ts';
import { identifier, shown } from './names.ts';
import { PRELOAD, type ServerReading } from './reading.queries.ts';
import type { Remedy, Step } from './remedy.ts';

/** Objects that our role sees and whose values it may not read. */
export interface Unread {
  readonly objects: 'sequences';
  readonly count: number;
  /** Together with those that it may read. */
  readonly of: number;
  /** Their schemas, each once. */
  readonly schemas: readonly string[];
}

/** Sessions of one role in one database that hide what they do. */
export interface Silent {
  /** Null of processes without one. */
  readonly role: string | null;
  readonly database: string | null;
  readonly count: number;
}

export interface CauseFacts {
  /** The extension, setting, predefined role, grant or version that is needed. */
  readonly subject: string;
  readonly database: string;
  readonly role: string;
  readonly version_num: number;
  /** Of objects, where some cannot be read. */
  readonly unread?: Unread | undefined;
  /** Of sessions, where some hide what they do. */
  readonly silent?: readonly Silent[] | undefined;
  /** Undefined before anything was read. */
  readonly server: ServerReading | undefined;
}

export interface CauseDeclared {
  readonly status: Cause;
  reason(told: CauseFacts): string;
  /** Null: nothing mends it. */
  remedy(told: CauseFacts): Remedy | null;
}

/** Where roles, databases and extensions are changed. */
const writable = ({ server }: CauseFacts): Step['on'] =>
  server?.is_in_recovery === true ? 'primary' : 'server';
const onWritable = (told: CauseFacts, ...sql: string[]): Step => ({ on: writable(told), sql });
const here = (...sql: string[]): Step => ({ on: 'server', sql });

/** Libraries as they stand in the setting; undefined where one would have to be quoted with care. */
function librariesIn(value: string): string[] | undefined {
  const names = value
    .split(',')
    .map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
    .filter((name) => name !== '');
  return names.every((name) => /^[\w$./-]+$/.test(name)) ? names : undefined;
}

/** Adds the extension to what is preloaded; in words where the role may not see what that is. */
function preload({ subject, server }: CauseFacts): Step {
  const libraries = librariesIn(server?.settings.get(PRELOAD)?.value ?? '"');
  if (!libraries || server?.settings.get(PRELOAD)?.source === 'command line') {
    const first = `add ${subject} to what ${PRELOAD} already holds, in postgresql.conf`;
    return { on: 'server', sql: [], first, restart: true };
  }
  const list = [...libraries, subject].map((name) => `'${name}'`).join(', ');
  return { ...here(`alter system set ${PRELOAD} = ${list};`), restart: true };
}

const RESTART: Step = { on: 'server', sql: [], restart: true };
const create = (told: CauseFacts) =>
  told.subject === 'pg_stat_statements'
    ? { on: writable(told), sql: CREATE_STATEMENTS }
    : onWritable(told, `create extension ${identifier(told.subject)};`);

const loading = (told: CauseFacts): Remedy =>
  told.server?.settings.get(PRELOAD)?.is_pending === true ? [RESTART] : [preload(told)];

const extension: Record<
  | 'extension_not_on_disk'
  | 'extension_not_created'
  | 'extension_not_created_nor_loaded'
  | 'extension_not_loaded'
  | 'extension_restart_pending'
  | 'extension_outdated'
  | 'extension_schema_closed',
  CauseDeclared
> = {
  extension_not_on_disk: {
    status: 'missing_extension',
    reason: ({ subject }) => `The extension ${shown(subject)} is not on the server's machine.`,
    remedy: (told) => {
      const known = knownExtension(told.subject);
      const from = known ? ` (package ${known.package})` : '';
      const first = `install ${told.subject} on its machine${from}`;
      const install = { on: 'server', sql: [], first } as const;
      return [install, ...(known?.preloaded ? [preload(told)] : []), create(told)];
    },
  },
  extension_not_created: {
    status: 'missing_extension',
    reason: ({ subject, database }) =>
      `The extension ${shown(subject)} is not installed in the database ${shown(database)}.`,
    remedy: (told) => [create(told)],
  },
  extension_not_created_nor_loaded: {
    status: 'missing_extension',
    reason: ({ subject, database }) =>
      `The extension ${shown(subject)} is neither loaded at the start of the server nor installed in the database ${shown(database)}.`,
    remedy: (told) => [...loading(told), create(told)],
  },
  extension_not_loaded: {
    status: 'missing_extension',
    reason: ({ subject }) =>
      `The extension ${shown(subject)} is installed, but was not loaded at the start of the server (${PRELOAD}).`,
    remedy: loading,
  },
  extension_restart_pending: {
    status: 'missing_extension',
    reason: ({ subject }) =>
      `The extension ${shown(subject)} is not loaded yet: ${PRELOAD} was changed, and that waits for a restart.`,
    remedy: loading,
  },
  extension_outdated: {
    status: 'incomplete',
    reason: ({ subject, database, server }) => {
      const { installed, available } = server?.extensions.get(subject) ?? {};
      return `The extension ${shown(subject)} in the database ${shown(database)} is of version ${shown(installed ?? '')}, older than the server's ${shown(available ?? '')}, so newer columns stay unknown.`;
    },
    remedy: (told) => [onWritable(told, `alter extension ${identifier(told.subject)} update;`)],
  },
  extension_schema_closed: {
    status: 'missing_grant',
    reason: ({ subject, role, database }) =>
      `The role ${shown(role)} may not use the schema ${shown(subject)}, which the extension is in, in the database ${shown(database)}.`,
    remedy: (told) => [
      onWritable(told, `grant usage on schema ${identifier(told.subject)} to ${identifier(told.role)};`),
    ],
  },
};

/** From 16 on a grant says itself whether it is inherited; before, only the role does. */
function rolesGrant(told: CauseFacts): Remedy {
  const { subject, role, server, version_num } = told;
  const grant = `grant ${subject} to ${identifier(role)}`;
  if (!server || server.inherits) return [onWritable(told, `${grant};`)];
  if (version_num >= 160_000) return [onWritable(told, `${grant} with inherit true;`)];
  return [onWritable(told, `${grant};`, `alter role ${identifier(role)} inherit;`)];
}

const rights: Record<
  'role_missing' | 'role_not_inherited' | 'grant_missing' | 'connect_missing',
  CauseDeclared
> = {
  role_missing: {
    status: 'masked',
    reason: ({ subject, role }) =>
      `Values of others are hidden from the role ${shown(role)}, which lacks the rights of ${subject}.`,
    remedy: rolesGrant,
  },
  role_not_inherited: {
    status: 'masked',
    reason: ({ subject, role }) =>
      `Values of others are hidden from the role ${shown(role)}: it is a member of ${subject}, but does not inherit its rights.`,
    remedy: (told) =>
      told.version_num >= 160_000
        ? [onWritable(told, `grant ${told.subject} to ${identifier(told.role)} with inherit true;`)]
        : [onWritable(told, `alter role ${identifier(told.role)} inherit;`)],
  },
  grant_missing: {
    status: 'missing_grant',
    reason: ({ subject, role }) => `The role ${shown(role)} lacks ${subject}.`,
    remedy: (told) => [
      {
        on: writable(told),
        sql: told.subject.split(', ').map((one) => `grant ${one} to ${identifier(told.role)};`),
      },
    ],
  },
  connect_missing: {
    status: 'missing_grant',
    reason: ({ role, database }) =>
      `The role ${shown(role)} may not connect to the database ${shown(database)}.`,
    remedy: (told) => [
      onWritable(told, `grant connect on database ${identifier(told.database)} to ${identifier(told.role)};`),
    ],
  },
};

/** A text that people still read; who has more schemas runs it, and is told the next ones. */
const MOST_SCHEMAS = 100;

const UNREAD_LACKS = { sequences: 'exhaustion cannot be forecast' } as const;

function unreadReason(which: (unread: Unread) => string): CauseDeclared['reason'] {
  return ({ role, database, unread }) => {
    if (!unread) return `The role ${shown(role)} lacks grants in the database ${shown(database)}.`;
    const what = `${which(unread)} in the database ${shown(database)}`;
    return `The role ${shown(role)} may not read ${what}, so ${unread.count === 1 ? 'its' : 'their'} ${UNREAD_LACKS[unread.objects]}.`;
  };
}

function unreadRemedy(told: CauseFacts): Remedy {
  const { role, unread } = told;
  const grant = (schema: string) =>
    `grant select on all ${unread?.objects} in schema ${identifier(schema)} to ${identifier(role)};`;
  return [{ on: writable(told), sql: (unread?.schemas ?? []).slice(0, MOST_SCHEMAS).map(grant) }];
}

/** Objects whose values need a grant of their own, beyond pg_monitor. */
const objects: Record<'objects_unreadable' | 'objects_partly_unreadable', CauseDeclared> = {
  objects_unreadable: {
    status: 'missing_grant',
    reason: unreadReason(({ count, objects: what }) =>
      count === 1 ? `the only ${what.slice(0, -1)}` : `any of the ${count} ${what}`,
    ),
    remedy: unreadRemedy,
  },
  objects_partly_unreadable: {
    status: 'masked',
    reason: unreadReason(({ count, of, objects: what }) => `${count} of the ${of} ${what}`),
    remedy: unreadRemedy,
  },
};

const RELOAD = 'select pg_reload_conf();';

const off = ({ subject, server }: CauseFacts) =>
  `${subject} is ${shown(server?.settings.get(subject)?.value ?? 'off')}`;
const lacks = ({ subject }: CauseFacts) => knownSetting(subject)?.lacks ?? 'less is known';
const good = ({ subject }: CauseFacts) => `${subject} = ${knownSetting(subject)?.good ?? 'on'}`;

const settings: Record<'setting_off' | 'setting_off_in_database' | 'setting_off_at_start', CauseDeclared> = {
  setting_off: {
    status: 'incomplete',
    reason: (told) => `${off(told)}, so ${lacks(told)}.`,
    remedy: (told) => [here(`alter system set ${good(told)};`, RELOAD)],
  },
  setting_off_in_database: {
    status: 'incomplete',
    reason: (told) => `${off(told)} in the database ${shown(told.database)}, so ${lacks(told)}.`,
    remedy: (told) => [onWritable(told, `alter database ${identifier(told.database)} set ${good(told)};`)],
  },
  setting_off_at_start: {
    status: 'incomplete',
    reason: (told) => `${off(told)} by the command line that starts the server, so ${lacks(told)}.`,
    remedy: (told) => [
      { on: 'server', sql: [], first: `start it with ${good(told)} in its command line`, restart: true },
    ],
  },
};

/** In a database a role's own setting wins over that of the role, of the database and of the server. */
function unsilence(told: CauseFacts): Remedy | null {
  const sql = (told.silent ?? []).slice(0, MOST_SCHEMAS).flatMap(({ role, database }) => {
    if (role === null || database === null) return [];
    return [`alter role ${identifier(role)} in database ${identifier(database)} set track_activities = on;`];
  });
  return sql.length === 0 ? null : [{ on: writable(told), sql }];
}

const sessions: Record<'sessions_silent', CauseDeclared> = {
  sessions_silent: {
    status: 'incomplete',
    reason: ({ silent = [] }) => {
      const count = silent.reduce((sum, one) => sum + one.count, 0);
      const roles = [...new Set(silent.flatMap(({ role }) => role ?? []))].slice(0, 5).map(shown);
      const hides = count === 1 ? '1 session hides its activity' : `${count} sessions hide their activity`;
      const whose = roles.length === 0 ? '' : ` (role ${roles.join(', ')})`;
      return `${hides}${whose}: track_activities is off there, so statements and times stay unknown. The change below holds for new sessions.`;
    },
    remedy: unsilence,
  },
};

const major = (version_num: number) => Math.floor(version_num / 10_000);

const nothingMends: Record<'too_old' | 'relation_missing', CauseDeclared> = {
  too_old: {
    status: 'not_applicable',
    reason: ({ subject, version_num }) =>
      `This needs PostgreSQL ${major(Number(subject))}; the server runs ${major(version_num)}.`,
    remedy: () => null,
  },
  relation_missing: {
    status: 'not_applicable',
    reason: ({ subject, database, role }) =>
      `${shown(subject)} does not exist in the database ${shown(database)}, or the role ${shown(role)} lacks permission to read it.`,
    remedy: () => null,
  },
};

export const CAUSES = { ...extension, ...rights, ...objects, ...settings, ...sessions, ...nothingMends };
export type CauseId = keyof typeof CAUSES;
