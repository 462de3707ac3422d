// Tables of a database, or the columns and indexes of one.
import { Fault } from '../../kernel/errors.ts';
import { boolean, object, optional, text } from '../../kernel/schema.ts';
import { answer, type Section, second } from './support/answer.ts';
import { demandAnswer, placeOf, type QueryTarget, rowsSection, sqlInput } from './support/sql.ts';
import { COLUMNS, INDEXES, TABLES } from './support/statements.queries.ts';
import { defineTool, type ToolCtx } from './types.ts';

interface SchemaQuery {
  place: QueryTarget;
  statement: string;
  params: readonly (string | null)[];
}

async function read(ctx: ToolCtx, { place, statement, params }: SchemaQuery) {
  const purpose = 'tool get_schema_info';
  const wanted = { ...place, text: statement, params, purpose, timeout_ms: 30_000, limit: 1000 };
  return demandAnswer(await ctx.deps.sql.run(ctx, wanted));
}

async function ofTable(
  ctx: ToolCtx,
  place: QueryTarget,
  names: readonly [string, string],
): Promise<Section[]> {
  const columns = await read(ctx, { place, statement: COLUMNS, params: names });
  if (columns.rows.length === 0)
    throw new Fault(
      'bad_request',
      `There is no table ${names.join('.')} there. Leave table_name out to list them.`,
    );
  const indexes = await read(ctx, { place, statement: INDEXES, params: names });
  return [
    { ...rowsSection(columns), title: `Columns of ${names.join('.')}` },
    { ...rowsSection(indexes), title: 'Indexes', empty: 'It has no index.' },
  ];
}

/** Names only. */
const compacted = (section: Section): Section => ({
  ...section,
  columns: section.columns.slice(0, 2),
  rows: section.rows.map((row) => row.slice(0, 2)),
});

const name = (description: string) => optional(text({ minLength: 1, maxLength: 63, description }));

export const tool = defineTool({
  name: 'get_schema_info',
  title: 'Schemas and tables',
  summary: 'Tables of a database, or the columns and indexes of one.',
  description:
    'Lists tables and views of a database with estimated rows and size; with schema_name and table_name the columns, defaults, comments and indexes of one. Partitions are left out: their parent stands for them.',
  reaches: 'server',
  cost: 'A session and one or two statements on catalogs of the monitored server.',
  privilege: { id: 2, description: 'Read schemas, tables and columns of a monitored database' },
  most_statements: 9,
  examples: [
    { ask: 'Which tables are there?', input: { connection_id: 1, compact: true } },
    { ask: 'How is orders made?', input: { connection_id: 1, schema_name: 'public', table_name: 'orders' } },
  ],
  input: object({
    ...sqlInput,
    schema_name: name('Only of this schema.'),
    table_name: name('Takes schema_name with it.'),
    vector_tables_only: optional(
      boolean({ default: false, description: 'Only tables with a pgvector column.' }),
    ),
    compact: optional(boolean({ default: false, description: 'Names only.' })),
  }),
  async run(ctx, { schema_name, table_name, vector_tables_only = false, compact = false, ...named }) {
    if (table_name !== undefined && schema_name === undefined)
      throw new Fault('bad_request', 'table_name takes schema_name with it, such as public.');
    const place = await placeOf(ctx, named);
    const params = [schema_name ?? null, String(vector_tables_only)];
    const sections =
      schema_name !== undefined && table_name !== undefined
        ? await ofTable(ctx, place, [schema_name, table_name])
        : [
            {
              ...rowsSection(await read(ctx, { place, statement: TABLES, params })),
              empty:
                'There is no such table in this database. Other databases have their own: name database_name.',
            },
          ];
    return answer(ctx, {
      about: `Schema of connection ${place.connection_id}${place.database_name === undefined ? '' : `, database ${place.database_name}`}`,
      source: `catalogs of the server itself at ${second(ctx.clock.now())}; rows and sizes are its estimates`,
      page: `/servers/${place.connection_id}?tab=tables`,
      sections: compact ? sections.map(compacted) : sections,
    });
  },
});
