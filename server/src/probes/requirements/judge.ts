// Which cause holds for what a probe requires, by what the server says of itself. The connection test, the collector
// and, through what it records, the coverage and the doctor judge here and nowhere else. Pure.
import type { Cause } from '../causes.ts';
import { CAUSES, type CauseId, type Silent, type Unread } from './causes.ts';
import { knownExtension, knownSetting } from './dependencies.ts';
import { onPlatform } from './platforms.ts';
import { PRELOAD, type ServerReading } from './reading.queries.ts';
import type { Remedy } from './remedy.ts';

/** Where something is judged. */
export interface Where {
  readonly database: string;
  readonly username: string;
  /** Undefined: nothing was read yet, or it could not be. */
  readonly server?: ServerReading | undefined;
  /** As in 160004. */
  readonly version_num?: number;
  /** Of objects, where some cannot be read. */
  readonly unread?: Unread;
  /** Of sessions, where some hide what they do. */
  readonly silent?: readonly Silent[];
}

export interface Judgement {
  cause: CauseId;
  status: Cause;
  reason: string;
  /** Null: nothing mends it. */
  remedy: Remedy | null;
}

/** What is said of a cause there. */
export function tell(cause: CauseId, subject: string, where: Where): Judgement {
  const { database, username: role, server, version_num = server?.version_num ?? 0, unread, silent } = where;
  const { status, reason, remedy } = CAUSES[cause];
  const told = { subject, database, role, server, version_num, unread, silent };
  const [words, mending, platform] = [reason(told), remedy(told), server?.platform];
  if (!platform || !mending) return { cause, status, reason: words, remedy: mending };
  // Objects of the system belong to its superuser, whom nobody else is there.
  if (cause === 'grant_missing' && subject.includes('pg_catalog.'))
    return {
      cause,
      status: 'not_applicable',
      reason: `${words.slice(0, -1)}, which ${platform.name} grants to nobody.`,
      remedy: null,
    };
  return { cause, status, reason: words, remedy: onPlatform(mending, platform) };
}

/** Whether it was loaded at the start of the server; it has settings of its own only then. */
function isLoaded(name: string, server: ServerReading | undefined): boolean {
  const known = knownExtension(name);
  return !known?.preloaded || !server || server.settings.has(known.loadedSetting);
}

/** `installed`: the version in the database in question. Undefined when the extension can be used. */
export function judgeExtension(
  name: string,
  installed: string | undefined,
  where: Where,
): Judgement | undefined {
  const { server } = where;
  const loaded = isLoaded(name, server);
  if (installed === undefined) {
    const reading = server?.extensions.get(name);
    if (reading && reading.available === null) return tell('extension_not_on_disk', name, where);
    return tell(loaded ? 'extension_not_created' : 'extension_not_created_nor_loaded', name, where);
  }
  if (loaded) return undefined;
  const isPending = server?.settings.get(PRELOAD)?.is_pending === true;
  return tell(isPending ? 'extension_restart_pending' : 'extension_not_loaded', name, where);
}

const numbers = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10) || 0);

function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The extension works, but was never updated to what the server brings. */
export function judgeExtensionVersion(name: string, where: Where): Judgement | undefined {
  const { installed, available } = where.server?.extensions.get(name) ?? {};
  if (!installed || !available || where.server?.database !== where.database) return undefined;
  return isOlder(installed, available) ? tell('extension_outdated', name, where) : undefined;
}

/** Without the rights of that predefined role the server hides values of others. */
export function judgeRole(name: string, where: Where): Judgement | undefined {
  const has = where.server?.roles.get(name);
  if (has === 'usage') return undefined;
  return tell(has === 'member' ? 'role_not_inherited' : 'role_missing', name, where);
}

/** Set for our role or our session alone it says nothing of what the server counts. */
const OF_OURS: ReadonlySet<string> = new Set(['user', 'database user', 'client', 'session', 'override']);

export function judgeSetting(name: string, where: Where): Judgement | undefined {
  const reading = where.server?.settings.get(name);
  if (!reading || OF_OURS.has(reading.source)) return undefined;
  if (!knownSetting(name)?.bad.includes(reading.value)) return undefined;
  if (reading.source === 'command line') return tell('setting_off_at_start', name, where);
  // Only of the database that it was read in; others have the server's own value.
  if (reading.source === 'database')
    return where.server?.database === where.database
      ? tell('setting_off_in_database', name, where)
      : undefined;
  return tell('setting_off', name, where);
}

/** Some of the objects in a database cannot be read by our role, or none. */
export function judgeUnread(unread: Unread, where: Where): Judgement | undefined {
  if (unread.count === 0) return undefined;
  const cause = unread.count === unread.of ? 'objects_unreadable' : 'objects_partly_unreadable';
  return tell(cause, unread.objects, { ...where, unread });
}

/** Sessions that hide what they do by a setting of their own; where the server has it off, that is said instead. */
export function judgeSilent(silent: readonly Silent[], where: Where): Judgement | undefined {
  if (silent.length === 0 || judgeSetting('track_activities', where)) return undefined;
  return tell('sessions_silent', 'track_activities', { ...where, silent });
}
