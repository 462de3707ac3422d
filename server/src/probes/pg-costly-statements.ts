// The statements that take most of the time, with their texts, so that advice can be given on them. Guards: few of each database, so that
// none crowds out another; texts are cut, and blanked of secrets before anything keeps them.
import { type Capabilities, defineProbe } from './types.ts';
import { counters, millisecondCounters, times } from './view-columns.ts';

const EXTENSION = 'pg_stat_statements';
const VIEW = `@${EXTENSION}.pg_stat_statements`;
const OF_EACH_DATABASE = 50;

const has = ({ columns }: Capabilities, name: string) => columns.get(VIEW)?.has(name) ?? false;
const schemaOf = ({ extensionSchemas }: Capabilities) => extensionSchemas.get(EXTENSION) ?? 'public';

function costly(capabilities: Capabilities, hasTexts: boolean): string {
  const time = has(capabilities, 'total_exec_time') ? 's.total_exec_time' : 's.total_time';
  return `select
  r.dbid::bigint as dbid,
  r.userid::bigint as userid,
  r.queryid::text as queryid,
  r.query as query_text,
  r.calls,
  r.exec_time as total_exec_time,
  r.rows,
  r.shared_blks_hit,
  r.shared_blks_read,
  r.stats_since
from (
  select
    s.*,
    ${time} as exec_time,
    ${has(capabilities, 'stats_since') ? '' : 'null::timestamp with time zone as stats_since,'}
    pg_catalog.row_number() over (partition by s.dbid order by ${time} desc, s.queryid) as place
  from ${schemaOf(capabilities)}.pg_stat_statements(${hasTexts}) s
  join pg_catalog.pg_database d on d.oid = s.dbid and not d.datistemplate
  where s.queryid is not null
    ${has(capabilities, 'toplevel') ? 'and s.toplevel' : ''}
) r
where r.place <= ${OF_EACH_DATABASE}
order by r.place, r.dbid`;
}

export const probe = defineProbe({
  name: 'pg_costly_statements',
  description: 'Statements of each database that take most of the time, with their texts.',
  level: 'D',
  intervalSeconds: 3600,
  retentionDays: 7,
  keeps: 'snapshot',
  hidden: { without: 'pg_read_all_stats', column: 'query_text' },
  views: [VIEW],
  requires: { extension: EXTENSION },
  serverWide: { databaseColumn: 'dbid' },
  columns: [
    { name: 'dbid', type: 'bigint', kind: 'key', description: 'Object id of the database.' },
    { name: 'userid', type: 'bigint', kind: 'key', description: 'Object id of the role.' },
    { name: 'queryid', type: 'text', kind: 'key', description: 'Hash of the normalized statement, 64 bits.' },
    { name: 'query_text', type: 'text', kind: 'label', scrub: true, description: 'Its text, cut.' },
    ...counters('count', [['calls', 'Times the statement was executed.']]),
    ...millisecondCounters([['total_exec_time', 'Time of executing.']]),
    ...counters('rows', [['rows', 'Rows returned or touched.']]),
    ...counters('blocks', [
      ['shared_blks_hit', 'Blocks found in shared buffers.'],
      ['shared_blks_read', 'Shared blocks read from disk or the system cache.'],
    ]),
    ...times([['stats_since', 'When this statement was first counted (17+).']]),
  ],
  caps: { maxRows: 1000, maxBytes: 4 * 1024 * 1024, maxText: 8000 },
  sql: (capabilities) => costly(capabilities, true),
  withoutTexts: (capabilities) => costly(capabilities, false),
});
