// Files of the monitored server's machine, read by the server for us where its administrator granted that: by our
// wrapper with a fixed list of paths, or by pg_read_file itself. Never a program, never a path that came from the
// server. The wrapper counts only when a superuser owns it, because it runs with our rights if somebody else made it.
import { append } from '../../kernel/lists.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { gatherLinuxFiles, type ReadFiles } from './linux-files.ts';
import type { HostInput, HostSource, SourceOutcome } from './types.ts';

const MOST_CHARACTERS = 1_000_000;
/** A backend stands in the same control group and network as the server. */
const PLACES = { cgroup: '/proc/self/cgroup', netDev: '/proc/net/dev' };

type Way = 'wrapper' | 'pg_read_file';

const statements: Record<Way, (paths: readonly string[]) => Sql> = {
  wrapper: (paths) => sql`/* hosts.sql_files.wrapper */
    select wanted.path, pg_catalog.left(matriarch_host.matriarch_host_file(wanted.path), ${MOST_CHARACTERS}) as content
    from pg_catalog.unnest(${paths}::text[]) as wanted (path)`,
  pg_read_file: (paths) => sql`/* hosts.sql_files.read */
    select wanted.path, pg_catalog.pg_read_file(wanted.path, 0, ${MOST_CHARACTERS}::bigint, true) as content
    from pg_catalog.unnest(${paths}::text[]) as wanted (path)`,
};

/** All paths in one statement; where one of them is refused, each by itself. */
function reader(query: HostInput['query'], way: Way): ReadFiles {
  const statement = statements[way];
  return async (paths) => {
    if (paths.length === 0) return new Map();
    const rows = await query(statement(paths)).catch(async () => {
      const single: Record<string, unknown>[] = [];
      for (const path of paths) append(single, await query(statement([path])).catch(() => []));
      return single;
    });
    return new Map(
      rows.flatMap(({ path, content }) =>
        typeof path === 'string' && typeof content === 'string' && content !== '' ? [[path, content]] : [],
      ),
    );
  };
}

async function findWays(query: HostInput['query']): Promise<{ ways: Way[]; role: string }> {
  const [row] = await query(sql`/* hosts.sql_files.find */
    select
      coalesce((
        select pg_catalog.has_function_privilege(p.oid, 'execute')
          and pg_catalog.has_schema_privilege(n.oid, 'usage')
        from pg_catalog.pg_proc p
        join pg_catalog.pg_namespace n on n.oid = p.pronamespace
        join pg_catalog.pg_roles o on o.oid = p.proowner
        where n.nspname = 'matriarch_host'
          and p.proname = 'matriarch_host_file'
          and p.pronargs = 1
          and p.proargtypes[0] = 'pg_catalog.text'::pg_catalog.regtype
          and p.prosecdef
          and o.rolsuper
        limit 1
      ), false) as wrapper,
      pg_catalog.has_function_privilege(
        'pg_catalog.pg_read_file(text, bigint, bigint, boolean)', 'execute'
      ) and pg_catalog.pg_has_role('pg_read_server_files', 'usage') as pg_read_file,
      pg_catalog.quote_ident(current_user) as role_name`);
  const ways: Way[] = [];
  if (row?.wrapper === true) ways.push('wrapper');
  if (row?.pg_read_file === true) ways.push('pg_read_file');
  const role = row?.role_name;
  return { ways, role: typeof role === 'string' ? role.slice(0, 200) : 'the_monitoring_role' };
}

async function gather({ query, wanted }: HostInput): Promise<SourceOutcome> {
  const { ways, role } = await findWays(query);
  for (const way of ways) {
    const facts = await gatherLinuxFiles(reader(query, way), {
      ...PLACES,
      ...(wanted ? { wanted } : {}),
    });
    if (Object.keys(facts).length > 0) return { status: 'ok', facts };
  }
  if (ways.length > 0) {
    const reason = 'The server may read files for the role, but has no /proc as Linux does.';
    return { status: 'unavailable', reason, mend: null };
  }
  const reason = 'The role may not read /proc through the server.';
  const mend = `/* Narrower: the part on facts of the machine in the monitoring script. */ grant pg_read_server_files to ${role}; grant execute on function pg_catalog.pg_read_file(text, bigint, bigint, boolean) to ${role};`;
  return { status: 'unavailable', reason, mend };
}

const tells: HostSource['tells'] = [
  'os_info',
  'cpu_info',
  'cpu_usage',
  'memory',
  'io',
  'load',
  'network',
  'pressure',
];

export const source: HostSource = { name: 'sql_files', order: 40, tells, gather };
