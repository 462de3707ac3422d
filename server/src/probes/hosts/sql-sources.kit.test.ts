import os from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostSession } from '../../testing/servers/host-input.ts';
import { sharedServer, startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { source as version } from './server-version.ts';
import { source as sqlFiles } from './sql-files.ts';
import { source as systemStats } from './system-stats.ts';

const LOGIN = { username: 'watcher', password: 'a long enough password' };
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ major: 18 });
  await cluster.query(`create role watcher login password '${LOGIN.password}'`);
});
afterAll(() => cluster.stop());

const asWatcher = (database = 'postgres') => hostSession(cluster, { login: LOGIN, database });

/** Functions with the columns of system_stats 4, answering what it answers on a machine of two sockets. */
const STAND_IN = `
  create schema "odd ""schema""";
  set search_path = "odd ""schema""";
  create function pg_sys_os_info(out name text, out version text, out host_name text, out domain_name text,
    out handle_count int, out process_count int, out thread_count int, out architecture text,
    out last_bootup_time text, out os_up_since_seconds int) returns setof record language sql as
    $f$ select '"Debian GNU/Linux 12 (bookworm)"' || chr(10), 'Linux 6.1.0-18-amd64', 'db1', '(none)', 1, 2, 3, 'x86_64', null, 4 $f$;
  create function pg_sys_cpu_info(out vendor text, out description text, out model_name text, out processor_type int,
    out logical_processor int, out physical_processor int, out no_of_cores int, out architecture text,
    out clock_speed_hz int8, out cpu_type text, out cpu_family text, out byte_order text, out l1dcache_size int,
    out l1icache_size int, out l2cache_size int, out l3cache_size int) returns setof record language sql as
    $f$ select 'AuthenticAMD', 'x', 'AMD EPYC 7B13', null::int, 32, 32, 8, 'x86_64', 2450000000, null, null, null, 32, 32, 512, 16384 $f$;
  create function pg_sys_memory_info(out total_memory int8, out used_memory int8, out free_memory int8,
    out swap_total int8, out swap_used int8, out swap_free int8, out cache_total int8, out kernel_total int8,
    out kernel_paged int8, out kernel_non_paged int8, out total_page_file int8, out avail_page_file int8)
    returns setof record language sql as
    $f$ select 64000000000, 60000000000, 4000000000, 0, 0, 0, 40000000000, null::int8, null::int8, null::int8, null::int8, null::int8 $f$;
  create function pg_sys_disk_info(out mount_point text, out file_system text, out drive_letter text,
    out drive_type int, out file_system_type text, out total_space int8, out used_space int8, out free_space int8,
    out total_inodes int8, out used_inodes int8, out free_inodes int8) returns setof record language sql as
    $f$ values ('/', '/dev/sda1', null, null::int, 'ext4', 100::int8, 40::int8, 55::int8, 1::int8, 1::int8, 1::int8),
      ('/run', 'tmpfs', null, null, 'tmpfs', 10, 1, 9, 1, 1, 1),
      ('/var/lib/docker', '/dev/sda1', null, null, 'ext4', 100, 40, 55, 1, 1, 1) $f$;
  create function pg_sys_load_avg_info(out load_avg_one_minute float4, out load_avg_five_minutes float4,
    out load_avg_ten_minutes float4, out load_avg_fifteen_minutes float4) returns setof record language sql as
    $f$ select 0.5::float4, 1::float4, 1.5::float4, null::float4 $f$;
  create function pg_sys_process_info(out total_processes int, out running_processes int, out sleeping_processes int,
    out stopped_processes int, out zombie_processes int) returns setof record language sql as
    $f$ select 10, 1, 9, 0, 0 $f$;
  create function pg_sys_io_analysis_info(out device_name text, out total_reads int8, out total_writes int8,
    out read_bytes int8, out write_bytes int8, out read_time_ms int8, out write_time_ms int8)
    returns setof record language sql as
    $f$ values ('sda', 1::int8, 2::int8, 9007199254740991::int8, 4::int8, 5::int8, 6::int8), ('sda1', 1, 2, 3, 4, 5, 6) $f$;
  create function pg_sys_network_info(out interface_name text, out ip_address text, out tx_bytes int8,
    out tx_packets int8, out tx_errors int8, out tx_dropped int8, out rx_bytes int8, out rx_packets int8,
    out rx_errors int8, out rx_dropped int8, out link_speed_mbps int) returns setof record language sql as
    $f$ select 'eth0', '10.0.0.7', 1::int8, 2::int8, 3::int8, 4::int8, 5::int8, 6::int8, 7::int8, 8::int8, 10000 $f$;
  create function pg_sys_cpu_memory_by_process(out pid int, out name text, out running_since_seconds int8,
    out cpu_usage float4, out memory_usage float4, out memory_bytes int8) returns setof record language sql as
    $f$ values (71, '(postgres)', 60::int8, 12.5::float4, 1::float4, 4096::int8), (72, '(bash)', 1, 1, 1, 1) $f$;
  revoke all on all functions in schema "odd ""schema""" from public;`;

/** The row of pg_extension that create extension would make; the real one is a C library. */
const AS_EXTENSION = `
  insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  values (61001, 'system_stats', 10, (select oid from pg_namespace where nspname = 'odd "schema"'), false, '4.0');
  alter extension system_stats add function pg_sys_os_info();
  alter extension system_stats add function pg_sys_cpu_info();
  alter extension system_stats add function pg_sys_memory_info();
  alter extension system_stats add function pg_sys_disk_info();
  alter extension system_stats add function pg_sys_load_avg_info();
  alter extension system_stats add function pg_sys_process_info();
  alter extension system_stats add function pg_sys_io_analysis_info();
  alter extension system_stats add function pg_sys_network_info();
  alter extension system_stats add function pg_sys_cpu_memory_by_process();`;

async function inDatabase(database: string, statements: string): Promise<void> {
  await using session = await hostSession(cluster, { database });
  await session.client.query('set default_transaction_read_only = off');
  await session.client.query('set allow_system_table_mods = on');
  for (const statement of statements.split(/;\s*\n/).filter((text) => text.trim()))
    await session.client.query(statement);
}

/** What the functions above mean. */
const LIVE = {
  load: { one: 0.5, five: 1, fifteen: 1.5 },
  process_counts: { total: 10, running: 1, sleeping: 9, stopped: 0, zombie: 0 },
  io_devices: [
    {
      device_name: 'sda',
      total_reads: 1,
      total_writes: 2,
      read_bytes: 9_007_199_254_740_991,
      write_bytes: 4,
      read_time_ms: 5,
      write_time_ms: 6,
    },
  ],
  interfaces: [
    {
      interface_name: 'eth0',
      ip_address: '10.0.0.7',
      tx_bytes: 1,
      tx_packets: 2,
      tx_errors: 3,
      tx_dropped: 4,
      rx_bytes: 5,
      rx_packets: 6,
      rx_errors: 7,
      rx_dropped: 8,
      link_speed_mbps: 10_000,
    },
  ],
  processes: [
    { pid: 71, name: 'postgres', running_since_seconds: 60, cpu_percent: 12.5, memory_bytes: 4096 },
  ],
};

describe('system_stats', () => {
  it('that is not installed says how to install it', async () => {
    await using session = await asWatcher();
    expect(await systemStats.gather(session.input)).toMatchObject({
      status: 'unavailable',
      mend: 'create extension system_stats;',
    });
  });

  it('is never taken for functions that only have its names', async () => {
    await cluster.query('create database trap');
    await inDatabase('trap', `${STAND_IN}\n`);
    await using session = await hostSession(cluster, { database: 'trap' });
    expect(await systemStats.gather(session.input)).toMatchObject({ status: 'unavailable' });
  });

  it('is read with its traps undone, and only with the right to', async () => {
    await cluster.query('create database stats');
    await inDatabase('stats', `${STAND_IN}\n${AS_EXTENSION}\n`);
    await using session = await asWatcher('stats');
    expect(await systemStats.gather(session.input)).toMatchObject({
      status: 'unavailable',
      mend: 'grant monitor_system_stats to watcher;',
    });
    await inDatabase(
      'stats',
      `grant usage on schema "odd ""schema""" to watcher;
       grant execute on all functions in schema "odd ""schema""" to watcher;\n`,
    );
    expect(await systemStats.gather(session.input)).toEqual({
      status: 'ok',
      facts: {
        os_name: 'Debian GNU/Linux',
        os_version: '12 (bookworm)',
        architecture: 'x86_64',
        hostname: 'db1',
        handle_count: 1,
        process_count: 2,
        thread_count: 3,
        up_seconds: 4,
        cpu_vendor: 'AuthenticAMD',
        cpu_description: 'x',
        cpu_model: 'AMD EPYC 7B13',
        cpu_logical: 32,
        cpu_clock_speed: 2_450_000_000,
        memory_total_bytes: 64e9,
        memory_used_bytes: 20e9,
        memory_free_bytes: 4e9,
        memory_cache_bytes: 40e9,
        node_memory_total_bytes: 64e9,
        swap_total_bytes: 0,
        swap_used_bytes: 0,
        disks: [
          {
            mount_point: '/',
            filesystem_type: 'ext4',
            total_bytes: 100,
            used_bytes: 40,
            free_bytes: 55,
            device: '/dev/sda1',
            total_inodes: 1,
            free_inodes: 1,
          },
        ],
        ...LIVE,
      },
    });
  });

  it('is not called for what somebody else told already', async () => {
    await using session = await asWatcher('stats');
    const called: string[] = [];
    const query: typeof session.input.query = (statement) => {
      called.push(statement.text);
      return session.input.query(statement);
    };
    const outcome = await systemStats.gather({ ...session.input, query, wanted: new Set(['load']) });
    expect(outcome).toMatchObject({ status: 'ok', facts: { load: LIVE.load } });
    const names = called.join('\n');
    expect(names).toContain('pg_sys_load_avg_info()');
    for (const name of ['pg_sys_cpu_memory_by_process()', 'pg_sys_network_info()', 'pg_sys_cpu_usage_info'])
      expect(names).not.toContain(name);
  });

  it('gives what it can when one of its functions fails', async () => {
    await inDatabase(
      'stats',
      `create or replace function "odd ""schema""".pg_sys_memory_info(out total_memory int8, out used_memory int8,
        out free_memory int8, out swap_total int8, out swap_used int8, out swap_free int8, out cache_total int8,
        out kernel_total int8, out kernel_paged int8, out kernel_non_paged int8, out total_page_file int8,
        out avail_page_file int8) returns setof record language sql as
        $f$ select 1 / 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 $f$;\n`,
    );
    await using session = await asWatcher('stats');
    const outcome = await systemStats.gather(session.input);
    expect(outcome).toMatchObject({ status: 'ok', facts: { hostname: 'db1', cpu_logical: 32 } });
    expect(outcome).not.toHaveProperty('facts.memory_total_bytes');
  });
});

describe.runIf(process.platform === 'linux')('files through SQL', () => {
  it('are refused to a role without the grant, and its mend is the SQL that helps', async () => {
    await using session = await asWatcher();
    const before = await sqlFiles.gather(session.input);
    if (before.status !== 'unavailable' || before.mend === null) throw new Error('expected a mend');
    expect(before.mend).toContain('to watcher;');
    for (const statement of before.mend.split(';').filter((text) => text.trim()))
      await cluster.query(statement);
    expect(await sqlFiles.gather(session.input)).toMatchObject({
      status: 'ok',
      facts: {
        hostname: os.hostname(),
        cpu_logical: os.cpus().length,
        node_memory_total_bytes: os.totalmem(),
        os_name: expect.any(String),
      },
    });
    await cluster.query('revoke pg_read_server_files from watcher');
  });

  it.each(majorsOfKits())('are read from a PostgreSQL %i', async (major) => {
    await using session = await hostSession(await sharedServer(major));
    expect(await sqlFiles.gather(session.input)).toMatchObject({
      status: 'ok',
      facts: {
        hostname: os.hostname(),
        node_memory_total_bytes: os.totalmem(),
        load: { one: expect.any(Number), five: expect.any(Number), fifteen: expect.any(Number) },
        cpu_times: { user: expect.any(Number), idle: expect.any(Number) },
        interfaces: expect.arrayContaining([expect.objectContaining({ interface_name: 'lo' })]),
        booted_at: expect.any(Number),
      },
    });
  });

  const wrapper = (role: string) => `
    create schema matriarch_host authorization ${role};
    create function matriarch_host.matriarch_host_file(path text) returns text language plpgsql security definer
      set search_path = pg_catalog as $f$ begin
        if path = any (array['/proc/meminfo', '/proc/sys/kernel/hostname'])
        then return pg_read_file(path, 0, 100000, true); else raise exception 'not listed'; end if; end $f$;
    alter function matriarch_host.matriarch_host_file(text) owner to ${role};
    grant usage on schema matriarch_host to watcher;\n`;

  it('come from the wrapper of a superuser, which may refuse paths', async () => {
    await cluster.query('create database wrapped');
    await inDatabase('wrapped', wrapper('postgres'));
    await using session = await asWatcher('wrapped');
    expect(await sqlFiles.gather(session.input)).toEqual({
      status: 'ok',
      facts: expect.objectContaining({ hostname: os.hostname(), node_memory_total_bytes: os.totalmem() }),
    });
  });

  it('never come from a wrapper that somebody else made', async () => {
    await cluster.query('create database trapped');
    await cluster.query('create role mallory');
    await inDatabase('trapped', wrapper('mallory'));
    await using session = await asWatcher('trapped');
    expect(await sqlFiles.gather(session.input)).toMatchObject({ status: 'unavailable' });
  });
});

describe('server_version', () => {
  it.each(majorsOfKits())('names the machine of a PostgreSQL %i', async (major) => {
    await using session = await hostSession(await sharedServer(major));
    expect(await version.gather(session.input)).toMatchObject({
      status: 'ok',
      facts: { architecture: expect.stringMatching(/^(x86_64|aarch64)$/) },
    });
  });
});
