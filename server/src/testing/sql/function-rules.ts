// Which functions of PostgreSQL a statement that only reads may call: judged by what the catalogues of every supported version say, by
// name, since a parser sees no types. Guards: a name is allowed only if whatever it may mean is harmless, on every version; a function
// that a new version brings is refused until it is judged.
import type { FunctionReason } from '../../monitored/read-only-sql/functions.ts';

/** As in pg_proc, of one version. */
export interface CataloguedFunction {
  readonly name: string;
  readonly volatility: string;
  /** Types of its arguments and of its result. */
  readonly types: readonly string[];
}

const INTERNAL = new Set(
  `internal cstring trigger event_trigger language_handler fdw_handler index_am_handler table_am_handler tsm_handler`.split(
    ' ',
  ),
);

/** Volatile, and yet without effect: sizes, times, randomness of the session, and what views of statistics show. */
const READS = new Set(
  `array_sample array_shuffle clock_timestamp gen_random_uuid pg_blocking_pids pg_collation_actual_version pg_control_checkpoint
  pg_control_init pg_control_recovery pg_control_system pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn
  pg_database_collation_actual_version pg_database_size pg_get_aios pg_get_backend_memory_contexts pg_get_dsm_registry_allocations
  pg_get_multixact_stats pg_get_shmem_allocations pg_get_shmem_allocations_numa
  pg_get_wait_events pg_get_wal_replay_pause_state pg_get_wal_resource_managers pg_get_wal_summarizer_state pg_indexes_size
  pg_is_in_backup pg_is_in_recovery pg_is_wal_replay_paused pg_jit_available pg_last_committed_xact pg_last_wal_receive_lsn
  pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_lock_status pg_notification_queue_usage pg_partition_ancestors
  pg_partition_tree pg_prepared_xact pg_relation_size pg_replication_origin_progress pg_safe_snapshot_blocking_pids
  pg_sequence_last_value pg_show_replication_origin_status pg_stat_have_stats pg_table_size pg_tablespace_size
  pg_total_relation_size pg_xact_commit_timestamp pg_xact_commit_timestamp_origin pg_xact_status random random_normal
  timeofday timezone txid_status uuidv4 uuidv7`.split(/\s+/),
);

/** Those whose volatility says too little. First match counts. */
const NAMED: readonly (readonly [RegExp, FunctionReason])[] = [
  [/^(?:query|cursor|table|schema|database)_to_xml/, 'runs_sql'],
  [/^ts_(?:stat|rewrite)$/, 'runs_sql'],
  [/^jsonb?_populate_record/, 'makes_types'],
  [/^pg_input_(?:is_valid|error_info)$/, 'makes_types'],
  // Both make the key of a partitioned table, whose constant parts are computed then.
  [/^(?:satisfies_hash_partition|pg_get_partition_constraintdef)$/, 'evaluates'],
  [/^(?:txid_current|pg_current_xact_id)$/, 'takes_xid'],
  [
    /^pg_(?:config|current_logfile|hba_file_rules|ident_file_mappings|show_all_file_settings)$/,
    'names_files',
  ],
  [/^pg_(?:ls_|read_|stat_file)/, 'names_files'],
  [/_validator$/, 'effects'],
  [/^pg_stat_get_/, 'reads'],
];

/** Of all functions of that name, of all versions. */
function reasonOf(functions: readonly CataloguedFunction[]): FunctionReason {
  const name = functions[0]?.name ?? '';
  if (functions.some(({ types }) => types.some((type) => INTERNAL.has(type)))) return 'internal';
  const named = NAMED.find(([pattern]) => pattern.test(name))?.[1];
  const volatilities = new Set(functions.map(({ volatility }) => volatility));
  const byVolatility = [...volatilities].every((one) => one === 'i') ? 'immutable' : 'stable';
  if (named !== undefined) return named === 'reads' && !volatilities.has('v') ? byVolatility : named;
  if ([...volatilities].every((one) => one === 'i' || one === 's')) return byVolatility;
  return READS.has(name) ? 'reads' : 'effects';
}

/** Names by reason, both in order. */
export function judgeFunctions(functions: readonly CataloguedFunction[]): Map<FunctionReason, string[]> {
  const byName = Map.groupBy(functions, ({ name }) => name);
  const names = [...byName.keys()].sort();
  return Map.groupBy(names, (name) => reasonOf(byName.get(name) ?? []));
}
