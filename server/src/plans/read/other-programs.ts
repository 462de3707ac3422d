// Plans of other programs, by what only these write. Pure. Guards: the sentence names the program only where its own words are there.
import { UsageError } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';

/** Its nodes look like those of PostgreSQL, and would be read as such. */
const REDSHIFT = /^(?:[^\S\r\n\u2028\u2029]|[|"])*(?:-> +)?XN [A-Z][A-Za-z ]+\(cost=/m;

const PROGRAMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [
    /^[ \t│]*distribution: (?:full|local|partial)$.{0,200}^[ \t│]*vectorized: |^[ \t│]*(?:[└├]── )?• /ms,
    'CockroachDB',
  ],
  [/^ *tree +\| *field +\| *description/m, 'CockroachDB'],
  [/^Plan hash value: \d|^\|[ \t]*Id[ \t]*\|[ \t]*Operation[ \t]*\|/m, 'Oracle Database'],
  [
    /<ShowPlanXML\b|^[ \t]*\|--(?:Clustered|Nested|Hash|Merge|Compute|Index|Table|Sort|Filter|Stream|Parallelism)\b/m,
    'SQL Server',
  ],
  [/^[ \t]*[|`]--(?:SCAN|SEARCH|USE TEMP B-TREE)\b/m, 'SQLite'],
  [/"query_block"[ \t]*:|^\|[ \t]*id[ \t]*\|[ \t]*select_type[ \t]*\|/m, 'MySQL or MariaDB'],
  [/"(?:queryPlanner|winningPlan)"[ \t]*:/, 'MongoDB'],
  [/^│ +(?:SEQ_SCAN|HASH_GROUP_BY|PERFECT_HASH_GROUP_BY|TABLE_SCAN|PROJECTION) +│/m, 'DuckDB'],
  [/^[ \t]*ReadFromMergeTree\b/m, 'ClickHouse'],
  [/^== Physical Plan ==/m, 'Spark'],
  [/^\|[ \t]*id[ \t]*\|[ \t]*estRows[ \t]*\|/m, 'TiDB'],
  [/^ *Fragment \d+ \[[A-Z_]+\]/m, 'Trino or Presto'],
  [/^STAGE DEPENDENCIES:/m, 'Hive'],
  [/^GlobalStats:/m, 'Snowflake'],
  [REDSHIFT, 'Amazon Redshift'],
];

/** So much of the text is looked at. */
const LOOKED_AT = 20_000;

/** What is wrong with a text in which no plan was found. */
export function refuseOther(text: string): void {
  const start = cutText(text, LOOKED_AT);
  const name = PROGRAMS.find(([mark]) => mark.test(start))?.[1];
  if (name !== undefined)
    throw new UsageError(
      `This is a plan of another database, ${name}. Paste what EXPLAIN of PostgreSQL printed.`,
    );
  // Within one line: what may go over several would be looked through from each of them on.
  if (/^[^\w\r\n\u2028\u2029]*Utility statements have no plan structure[^\w\r\n\u2028\u2029]*$/m.test(start))
    throw new UsageError(
      'A utility statement has no plan. Explain the query that it runs, such as that of CREATE TABLE AS.',
    );
}
