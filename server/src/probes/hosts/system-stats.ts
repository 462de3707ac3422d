// The extension system_stats, where it is installed in the connection's database. Only functions that belong to
// the extension are called: anybody could make a function of that name, and it would run with our rights. Its
// traps are undone: cores are of one socket, "physical" counts logical processors, used memory includes the cache,
// and the name of the system is a quoted line of os-release.
import { type Sql, sql } from '../../kernel/sql.ts';
import { isRealFilesystem, volumesOf } from './parse/mounts.ts';
import { splitPrettyName } from './parse/os-release.ts';
import {
  deviceFacts,
  interfaceFacts,
  LIVE_FIELDS,
  LIVE_FUNCTIONS,
  type LiveFunction,
  loadFacts,
  processCountFacts,
  processFacts,
} from './system-stats-live.ts';
import { numberOf, positive, type Row, textOf } from './system-stats-row.ts';
import {
  type HostDisk,
  type HostFacts,
  type HostInput,
  type HostSource,
  type SourceOutcome,
  wants,
} from './types.ts';

const FUNCTIONS = {
  pg_sys_os_info: [
    'name',
    'version',
    'host_name',
    'domain_name',
    'handle_count',
    'process_count',
    'thread_count',
    'architecture',
    'os_up_since_seconds',
  ],
  pg_sys_cpu_info: [
    'vendor',
    'description',
    'model_name',
    'logical_processor',
    'physical_processor',
    'no_of_cores',
    'clock_speed_hz',
    'cpu_type',
    'cpu_family',
    'byte_order',
  ],
  pg_sys_memory_info: ['total_memory', 'free_memory', 'cache_total', 'swap_total', 'swap_used'],
  pg_sys_disk_info: [
    'mount_point',
    'file_system',
    'file_system_type',
    'total_space',
    'used_space',
    'free_space',
    'total_inodes',
    'free_inodes',
  ],
  ...LIVE_FUNCTIONS,
} as const;
type FunctionName = keyof typeof FUNCTIONS;

const MOST_ROWS = 5000;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Columns go as text: 64-bit integers stay exact whatever the session's parsers do. */
function readStatement(schema: string, name: FunctionName): Sql {
  const columns = FUNCTIONS[name].map((column: string) => `left(f.${column}::text, 1000) as ${column}`);
  return {
    text: `/* hosts.system_stats.read */
      select ${columns.join(', ')}
      from ${quoted(schema)}.${name}() as f
      limit ${MOST_ROWS}`,
    values: [],
  };
}

function findFunctions(query: HostInput['query']): Promise<readonly Row[]> {
  return query(sql`/* hosts.system_stats.find */
    select n.nspname::text as schema_name, p.proname::text as function_name,
      pg_catalog.has_function_privilege(p.oid, 'execute')
        and pg_catalog.has_schema_privilege(n.oid, 'usage') as may_execute,
      pg_catalog.quote_ident(current_user) as role_name
    from pg_catalog.pg_extension e
    join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      and d.refobjid = e.oid
      and d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      and d.deptype = 'e'
    join pg_catalog.pg_proc p on p.oid = d.objid and p.pronargs = 0
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where e.extname = 'system_stats' and p.proname = any (${Object.keys(FUNCTIONS)}::text[])
    limit 50`);
}

const known = (values: object): HostFacts =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

export function osFacts(row: Row | undefined): HostFacts {
  const named = splitPrettyName(textOf(row, 'name') ?? '');
  const domain = textOf(row, 'domain_name');
  return known({
    os_version: textOf(row, 'version'),
    ...named,
    architecture: textOf(row, 'architecture'),
    hostname: textOf(row, 'host_name'),
    domain_name: domain === '(none)' ? undefined : domain,
    handle_count: positive(row, 'handle_count'),
    process_count: positive(row, 'process_count'),
    thread_count: positive(row, 'thread_count'),
    up_seconds: positive(row, 'os_up_since_seconds'),
  });
}

export function cpuFacts(row: Row | undefined): HostFacts {
  const logical = positive(row, 'logical_processor') ?? positive(row, 'physical_processor');
  const coresOfOneSocket = positive(row, 'no_of_cores');
  return known({
    cpu_model: textOf(row, 'model_name'),
    cpu_vendor: textOf(row, 'vendor'),
    cpu_description: textOf(row, 'description'),
    cpu_type: textOf(row, 'cpu_type'),
    cpu_family: textOf(row, 'cpu_family'),
    byte_order: textOf(row, 'byte_order'),
    cpu_logical: logical,
    // More processors than cores are threads, or sockets: the extension cannot tell, so neither can we.
    cpu_cores: coresOfOneSocket === logical ? coresOfOneSocket : undefined,
    cpu_clock_speed: positive(row, 'clock_speed_hz'),
  });
}

export function memoryFacts(row: Row | undefined): HostFacts {
  const total = positive(row, 'total_memory');
  if (!row || total === undefined) return {};
  const [free, cache] = [numberOf(row, 'free_memory'), numberOf(row, 'cache_total')];
  const isKnown = free !== undefined && cache !== undefined;
  return known({
    memory_total_bytes: total,
    memory_used_bytes: isKnown ? total - Math.min(total, free + cache) : undefined,
    memory_free_bytes: free === undefined ? undefined : Math.min(free, total),
    node_memory_total_bytes: total,
    memory_cache_bytes: cache,
    swap_total_bytes: numberOf(row, 'swap_total'),
    swap_used_bytes: numberOf(row, 'swap_used'),
  });
}

export function diskFacts(rows: readonly Row[]): HostFacts {
  const mounts = rows.flatMap((row) => {
    const [device, mount_point, filesystem_type] = ['file_system', 'mount_point', 'file_system_type'].map(
      (column) => textOf(row, column),
    );
    if (!mount_point || !filesystem_type || !isRealFilesystem(filesystem_type)) return [];
    return [{ device: device ?? mount_point, mount_point, filesystem_type }];
  });
  const sizes = new Map(rows.map((row) => [textOf(row, 'mount_point') ?? '', row]));
  const disks = volumesOf(mounts).flatMap(([mount]): HostDisk[] => {
    const row = sizes.get(mount?.mount_point ?? '');
    const total = positive(row, 'total_space');
    const [inodes, free_inodes] = [positive(row, 'total_inodes'), numberOf(row, 'free_inodes')];
    const [used, free] = [numberOf(row, 'used_space'), numberOf(row, 'free_space')];
    // Of a disk that is filled to an unknown part nothing can be said.
    if (!mount || !row || total === undefined || used === undefined || free === undefined) return [];
    return [
      {
        mount_point: mount.mount_point,
        filesystem_type: mount.filesystem_type,
        total_bytes: total,
        used_bytes: used,
        free_bytes: free,
        device: mount.device,
        ...(inodes === undefined || free_inodes === undefined ? {} : { total_inodes: inodes, free_inodes }),
      },
    ];
  });
  return rows.length === 0 ? {} : { disks };
}

const NOT_INSTALLED: SourceOutcome = {
  status: 'unavailable',
  reason: "The extension system_stats is not installed in the connection's database.",
  mend: 'create extension system_stats;',
};

async function readFacts(input: HostInput, schemas: ReadonlyMap<string, string>): Promise<HostFacts> {
  const read = async (name: FunctionName) => {
    const schema = schemas.get(name);
    return schema === undefined ? [] : input.query(readStatement(schema, name)).catch(() => []);
  };
  /** Only what nobody has told yet: one of them sleeps a little in the server. */
  const readLive = async (name: LiveFunction) => (wants(input, LIVE_FIELDS[name]) ? read(name) : []);
  return {
    ...osFacts((await read('pg_sys_os_info'))[0]),
    ...cpuFacts((await read('pg_sys_cpu_info'))[0]),
    ...memoryFacts((await read('pg_sys_memory_info'))[0]),
    ...diskFacts(await read('pg_sys_disk_info')),
    ...loadFacts((await readLive('pg_sys_load_avg_info'))[0]),
    ...processCountFacts((await readLive('pg_sys_process_info'))[0]),
    ...deviceFacts(await readLive('pg_sys_io_analysis_info')),
    ...interfaceFacts(await readLive('pg_sys_network_info')),
    ...processFacts(await readLive('pg_sys_cpu_memory_by_process')),
  };
}

async function gather(input: HostInput): Promise<SourceOutcome> {
  const found = await findFunctions(input.query);
  if (found.length === 0) return NOT_INSTALLED;
  const usable = new Map(
    found
      .filter((row) => row.may_execute === true)
      .map((row) => [textOf(row, 'function_name') ?? '', textOf(row, 'schema_name') ?? '']),
  );
  const role = textOf(found[0], 'role_name')?.slice(0, 200) ?? 'the_monitoring_role';
  if (usable.size === 0) {
    const reason = 'The role may not call the functions of system_stats.';
    return { status: 'unavailable', reason, mend: `grant monitor_system_stats to ${role};` };
  }
  const facts = await readFacts(input, usable);
  if (Object.keys(facts).length > 0) return { status: 'ok', facts };
  return { status: 'unavailable', reason: 'The functions of system_stats gave nothing.', mend: null };
}

const tells: HostSource['tells'] = [
  'os_info',
  'cpu_info',
  'memory',
  'io',
  'disk',
  'load',
  'process_counts',
  'network',
  'processes',
];

export const source: HostSource = { name: 'system_stats', order: 30, tells, gather };
