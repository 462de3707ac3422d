// What every server says about its machine without any grant: version() names the architecture and the kind of
// system it was built for, which are those it runs on.
import { sql } from '../../kernel/sql.ts';
import type { HostFacts, HostInput, HostSource, SourceOutcome } from './types.ts';

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/linux/, 'Linux'],
  [/darwin/, 'macOS'],
  [/freebsd/, 'FreeBSD'],
  [/openbsd/, 'OpenBSD'],
  [/netbsd/, 'NetBSD'],
  [/mingw|visual|msvc|windows/, 'Windows'],
  [/solaris/, 'Solaris'],
];

/** `PostgreSQL 17.2 (Debian …) on x86_64-pc-linux-gnu, compiled by gcc …, 64-bit` */
export function versionFacts(version: string): HostFacts {
  const triple = / on ([a-z0-9_]+)-([a-z0-9_.+-]+)/i.exec(version);
  if (!triple?.[1] || !triple[2]) return {};
  const system = SYSTEMS.find(([pattern]) => pattern.test(triple[2]?.toLowerCase() ?? ''))?.[1];
  return { architecture: triple[1], ...(system === undefined ? {} : { os_name: system }) };
}

async function gather({ query }: HostInput): Promise<SourceOutcome> {
  const [row] = await query(sql`/* hosts.server_version.read */
    select pg_catalog.left(pg_catalog.version(), 500) as version`);
  const version = row?.version;
  const facts = versionFacts(typeof version === 'string' ? version : '');
  if (Object.keys(facts).length > 0) return { status: 'ok', facts };
  return { status: 'unavailable', reason: 'The version text of the server names no machine.', mend: null };
}

export const source: HostSource = { name: 'server_version', order: 90, tells: ['os_info'], gather };
