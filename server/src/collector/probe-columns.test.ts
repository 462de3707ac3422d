// What readers of the API count on: each probe of the table below exists with that level, interval, retention and these
// columns, and one that stands for a view has every column that the view has in the newest PostgreSQL.
import { describe, expect, it } from 'vitest';
import { probes } from '../probes/catalog.gen.ts';
import { sharedServer } from '../testing/servers/postgres.ts';
import { directly } from '../testing/servers/probing.ts';

interface Promised {
  level: 'S' | 'D';
  seconds: number;
  days: number;
  /** Beside those of the views. */
  columns?: string;
  views?: readonly string[];
  /** Columns of the views that are not kept, each for a reason. */
  without?: readonly string[];
}

const WAL_RECEIVER = `role receiver_pid receiver_status receive_start_lsn receive_start_tli written_lsn
  receiver_flushed_lsn received_tli last_msg_send_time last_msg_receipt_time latest_end_lsn latest_end_time
  receiver_slot_name sender_host sender_port lag_bytes`;
const host = (columns: string): Promised => ({ level: 'S', seconds: 600, days: 7, columns });
const each = (view: string, more: Partial<Promised> = {}): Promised => ({
  level: 'D',
  seconds: 300,
  days: 7,
  views: [view],
  ...more,
});
const tracked = (view: string): Promised => ({ level: 'S', seconds: 3600, days: 365, views: [view] });

const PROMISED: Readonly<Record<string, Promised>> = {
  pg_connectivity: { level: 'S', seconds: 30, days: 7, columns: 'response_time_ms' },
  pg_stat_activity: { level: 'S', seconds: 60, days: 7, views: ['pg_stat_activity'] },
  pg_stat_replication: {
    level: 'S',
    seconds: 30,
    days: 7,
    columns: WAL_RECEIVER,
    views: ['pg_stat_replication'],
  },
  pg_replication_slots: {
    level: 'S',
    seconds: 300,
    days: 7,
    columns:
      'slot_name slot_type active wal_status safe_wal_size retained_bytes inactive_since invalidation_reason',
    views: ['pg_stat_replication_slots'],
  },
  pg_stat_recovery_prefetch: { level: 'S', seconds: 600, days: 7, views: ['pg_stat_recovery_prefetch'] },
  pg_stat_subscription: {
    level: 'S',
    seconds: 300,
    days: 7,
    views: ['pg_stat_subscription', 'pg_stat_subscription_stats'],
  },
  pg_stat_connection_security: {
    level: 'S',
    seconds: 300,
    days: 7,
    columns: `pid ssl ssl_version cipher bits client_dn client_serial issuer_dn gss_authenticated principal
      gss_encrypted credentials_delegated`,
  },
  pg_stat_io: {
    level: 'S',
    seconds: 900,
    days: 7,
    columns: 'read_bytes write_bytes extend_bytes blks_zeroed blks_exists flushes truncates',
    views: ['pg_stat_io'],
  },
  pg_stat_checkpointer: {
    level: 'S',
    seconds: 600,
    days: 7,
    columns: 'buffers_clean maxwritten_clean buffers_alloc bgwriter_stats_reset',
    views: ['pg_stat_checkpointer'],
  },
  pg_stat_wal: {
    level: 'S',
    seconds: 600,
    days: 7,
    columns: `wal_write wal_sync archived_count last_archived_wal last_archived_time failed_count last_failed_wal
      last_failed_time archiver_stats_reset`,
    views: ['pg_stat_wal'],
  },
  pg_database: {
    level: 'S',
    seconds: 300,
    days: 7,
    columns: 'age_datfrozenxid age_datminmxid database_size_bytes',
    views: ['pg_database'],
  },
  pg_settings: tracked('pg_settings'),
  pg_hba_file_rules: tracked('pg_hba_file_rules'),
  pg_ident_file_mappings: tracked('pg_ident_file_mappings'),
  pg_server_info: {
    level: 'S',
    seconds: 3600,
    days: 365,
    columns: `server_version server_version_num system_identifier cluster_name data_directory max_connections
      max_wal_senders max_replication_slots installed_extensions`,
  },
  pg_node_role: {
    level: 'S',
    seconds: 300,
    days: 30,
    columns: `is_in_recovery timeline_id has_binary_standbys binary_standby_count is_streaming_standby upstream_host
      upstream_port received_lsn replayed_lsn publication_count subscription_count active_subscription_count has_spock
      spock_node_id spock_node_name spock_subscription_count primary_role role_flags role_details publisher_host
      publisher_port has_active_logical_slots active_logical_slot_count postmaster_start_time`,
  },
  pg_extension: {
    level: 'D',
    seconds: 3600,
    days: 30,
    columns: 'extname extversion extrelocatable schema_name',
  },
  pg_stat_database: each('pg_stat_database'),
  pg_stat_database_conflicts: each('pg_stat_database_conflicts'),
  pg_stat_all_tables: each('pg_stat_all_tables', {
    columns: 'table_size',
    views: ['pg_stat_all_tables', 'pg_statio_all_tables'],
  }),
  pg_stat_all_indexes: each('pg_stat_all_indexes', {
    columns: 'index_size',
    views: ['pg_stat_all_indexes', 'pg_statio_all_indexes'],
  }),
  pg_statio_all_sequences: each('pg_statio_all_sequences'),
  pg_stat_user_functions: each('pg_stat_user_functions'),
  // Texts are stored once, elsewhere.
  pg_stat_statements: each('pg_stat_statements', { without: ['query'] }),
  spock_exception_log: { level: 'D', seconds: 60, days: 7 },
  spock_resolutions: { level: 'D', seconds: 60, days: 7 },
  pg_sys_os_info:
    host(`name version host_name domain_name handle_count process_count thread_count architecture
    os_up_since_seconds last_bootup_time`),
  pg_sys_cpu_info:
    host(`vendor description model_name processor_type logical_processor physical_processor no_of_cores
    architecture clock_speed_hz cpu_type cpu_family byte_order l1dcache_size l1icache_size l2cache_size l3cache_size`),
  pg_sys_cpu_usage_info: host(`usermode_normal_process_percent usermode_niced_process_percent
    kernelmode_process_percent io_completion_percent servicing_irq_percent servicing_softirq_percent
    idle_mode_percent user_time_percent processor_time_percent privileged_time_percent interrupt_time_percent`),
  pg_sys_memory_info: host(`total_memory used_memory free_memory swap_total swap_used swap_free cache_total
    kernel_total kernel_paged kernel_non_paged total_page_file avail_page_file`),
  pg_sys_io_analysis_info: host(
    'device_name total_reads total_writes read_bytes write_bytes read_time_ms write_time_ms',
  ),
  pg_sys_disk_info:
    host(`mount_point drive_letter file_system drive_type file_system_type total_space used_space
    free_space total_inodes used_inodes free_inodes`),
  pg_sys_load_avg_info: host(
    'load_avg_one_minute load_avg_five_minutes load_avg_ten_minutes load_avg_fifteen_minutes',
  ),
  pg_sys_process_info: host(
    'total_processes running_processes sleeping_processes stopped_processes zombie_processes',
  ),
  pg_sys_network_info:
    host(`interface_name ip_address tx_bytes tx_packets tx_errors tx_dropped rx_bytes rx_packets
    rx_errors rx_dropped link_speed_mbps`),
  pg_sys_cpu_memory_by_process: host('pid name running_since_seconds cpu_usage memory_usage memory_bytes'),
};

describe.each(Object.entries(PROMISED))('%s', (name, promised) => {
  const probe = probes.find((one) => one.name === name);
  const declared: string[] = probe?.columns.map((column) => column.name) ?? [];

  it('has the level, the interval, the retention and the columns that were promised', () => {
    const { level, seconds, days, columns = '' } = promised;
    expect(probe).toMatchObject({ level, intervalSeconds: seconds, retentionDays: days });
    const missing = columns.split(/\s+/).filter((column) => column !== '' && !declared.includes(column));
    expect(missing).toEqual([]);
  });

  it.runIf(promised.views)('has every column of the view in the newest PostgreSQL', async () => {
    const server = await sharedServer(18);
    const { views = [], without = [] } = promised;
    if (views.includes('pg_stat_statements'))
      await directly(server, 'create extension if not exists pg_stat_statements');
    const rows = await directly(
      server,
      `select attname from pg_attribute where attnum > 0 and not attisdropped
       and attrelid in (${views.map((view) => `'${view}'::regclass`).join(', ')})`,
    );
    expect(rows.length).toBeGreaterThan(1);
    const missing = rows.map(({ attname }) => String(attname)).filter((column) => !declared.includes(column));
    expect(missing.sort()).toEqual([...without].sort());
  });
});
