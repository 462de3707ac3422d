// What servers offer, kept once for all databases that offer the same: hundreds of sessions would otherwise hold the columns
// of some thirty views each, and the texts of all statements that were made for them.
import type { Capabilities, SqlProbe } from '../probes/types.ts';
import type { Statement } from './pipeline.ts';

/** A few are usual; whoever has one that was let go keeps it. */
const MOST = 100;
/** What is larger than any honest server's is not kept for others. */
const MOST_CHARS = 100_000;

const known = new Map<string, Capabilities>();
const statements = new WeakMap<Capabilities, Map<SqlProbe, Statement>>();

const byName = <T>(entries: Iterable<readonly [string, T]>) =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));

function keyOf({ version_num, may_read_control, ...lists }: Capabilities): string {
  return JSON.stringify([
    version_num,
    may_read_control,
    byName(lists.columns).map(([name, columns]) => [name, [...columns].sort()]),
    byName(lists.extensions),
    byName(lists.extensionSchemas),
    byName(lists.closedSchemas),
    [...lists.roles].sort(),
    [...lists.functions].sort(),
  ]);
}

/** The same object for whatever is equal. */
export function sharedCapabilities(read: Capabilities): Capabilities {
  const key = keyOf(read);
  const same = known.get(key);
  if (same || key.length > MOST_CHARS) return same ?? read;
  if (known.size >= MOST) known.clear();
  known.set(key, read);
  return read;
}

/** Whether a server that was asked for these views and functions alone still offers of them just what is known. */
export function isStillOffered(
  known: Capabilities,
  {
    asked,
    views,
    functions,
  }: { asked: Capabilities; views: readonly string[]; functions: readonly string[] },
): boolean {
  const part = {
    ...known,
    columns: new Map([...known.columns].filter(([name]) => views.includes(name))),
    functions: new Set([...known.functions].filter((name) => functions.includes(name))),
  };
  return keyOf(part) === keyOf(asked);
}

/** The probe's statement for a server that offers this, made once. */
export function sharedStatement(probe: SqlProbe, offered: Capabilities, make: () => Statement): Statement {
  const made = statements.get(offered) ?? new Map<SqlProbe, Statement>();
  statements.set(offered, made);
  const same = made.get(probe) ?? make();
  made.set(probe, same);
  return same;
}
