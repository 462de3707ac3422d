// What servers offer, kept once for all databases that offer the same: hundreds of sessions would otherwise hold the columns
// of some thirty views each, and the texts of all statements that were made for them. Guards: nothing is kept that nobody uses.
import { createHash } from 'node:crypto';
import type { Capabilities, SqlProbe } from '../probes/types.ts';
import type { Statement } from './pipeline.ts';

/** By a digest of all of it. */
const known = new Map<string, WeakRef<Capabilities>>();
const unused = new FinalizationRegistry<string>((digest) => {
  if (known.get(digest)?.deref() === undefined) known.delete(digest);
});
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
  const digest = createHash('sha256').update(keyOf(read)).digest('base64');
  const same = known.get(digest)?.deref();
  if (same) return same;
  known.set(digest, new WeakRef(read));
  unused.register(read, digest);
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
