// Rows of a monitored database that mean something near to a question, where it has pgvector.

import { Fault } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { integer, number, object, oneOf, optional, text } from '../../kernel/schema.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { answer, second } from './support/answer.ts';
import { demandEmbeddings } from './support/embeddings.ts';
import { choosePassages, type FoundRow, type Passage } from './support/passages.ts';
import { demandAnswer, placeOf, type QueryTarget, sqlInput } from './support/sql.ts';
import { type Nearest, nearestStatement, TABLES, VECTORS } from './support/statements.queries.ts';
import { defineTool, type ToolCtx } from './types.ts';

const OPERATORS = { cosine: '<=>', l2: '<->', inner_product: '<#>' } as const;
/** Rows are read for each passage that is wanted, so that there is a choice. */
const ROWS_A_PASSAGE = 4;
const SUMMARY = 160;

interface SearchTarget extends QueryTarget {
  ctx: ToolCtx;
}

interface VectorColumn extends Omit<Nearest, 'operator' | 'most'> {
  /** -1: any. */
  dimensions: number;
}

async function rowsOf(
  { ctx, ...place }: SearchTarget,
  statement: string,
  params: readonly (string | null)[],
) {
  const wanted = { ...place, text: statement, params, purpose: 'tool similarity_search', timeout_ms: 30_000 };
  return demandAnswer(await ctx.deps.sql.run(ctx, { ...wanted, limit: 1000 })).rows;
}

function namesIn(cell: string | null | undefined): string[] {
  const value: unknown = JSON.parse(cell ?? '[]');
  return Array.isArray(value) ? value.map(String) : [];
}

/** Throws with what there is where the table has none. */
async function vectorColumns(place: SearchTarget, table: string): Promise<VectorColumn[]> {
  const parts = /^(?:([^.]+)\.)?(.+)$/.exec(table) ?? [];
  const found = await rowsOf(place, VECTORS, [parts[2] ?? table, parts[1] ?? null]);
  if (found.length > 0)
    return found.map(([schema, name, column, type, type_schema, dimensions, texts, keys]) => ({
      ...{ schema: schema ?? '', name: name ?? '', column: column ?? '', type: type ?? '' },
      ...{
        type_schema: type_schema ?? '',
        dimensions: Number(dimensions),
        texts: namesIn(texts),
        keys: namesIn(keys),
      },
    }));
  const others = await rowsOf(place, TABLES, [null, 'true']);
  throw new Fault(
    'bad_request',
    others.length === 0
      ? 'No table of this database has a column of pgvector (vector or halfvec), so that there is nothing to search by meaning. query_database finds words with like or full text search.'
      : `${table} has no column of pgvector. These have: ${others.map(([schema, name]) => `${schema}.${name}`).join(', ')}.`,
  );
}

function fitting(columns: readonly VectorColumn[], length: number, by: string): VectorColumn {
  const found = columns.find(({ dimensions }) => dimensions < 1 || dimensions === length);
  if (found) return found;
  const has = columns.map(({ column, dimensions }) => `${column} has ${dimensions}`).join(', ');
  throw new Fault(
    'bad_request',
    `${by} makes vectors of ${length} numbers, and ${has}: they were made by another model, which has to be configured here too.`,
  );
}

interface Search {
  column: VectorColumn;
  vector: readonly number[];
  operator: Nearest['operator'];
  most: number;
}

async function nearest(place: SearchTarget, { column, vector, operator, most }: Search): Promise<FoundRow[]> {
  const statement = nearestStatement({ ...column, operator, most });
  const found = await rowsOf(place, statement, [`[${vector.join(',')}]`]);
  const { keys, texts } = column;
  return found.map((row) => ({
    key: keys.map((name, index) => `${name}=${row[index] ?? 'null'}`).join(' '),
    text: texts.map((_name, index) => row[keys.length + index] ?? '').join('\n'),
    distance: Number(row.at(-1)),
  }));
}

function table(passages: readonly Passage[], format: 'full' | 'summary' | 'ids_only') {
  const shown = (said: string) =>
    format === 'summary' && said.length > SUMMARY ? `${cutText(said, SUMMARY)}…` : said;
  return {
    columns: format === 'ids_only' ? ['row', 'distance'] : ['row', 'distance', 'text'],
    rows: passages.map(({ key, distance, text: said }) =>
      format === 'ids_only' ? [key, distance] : [key, distance, shown(said)],
    ),
  };
}

export const tool = defineTool({
  name: 'similarity_search',
  title: 'Search a table by meaning',
  summary: 'Finds passages of a table by what they mean, where the database has pgvector.',
  description:
    'Embeds the question with the configured provider and finds the nearest rows of a table with a pgvector column on a monitored database; of their texts come the passages that are near and do not say the same twice. The vectors in the table have to be of the same model. get_schema_info with vector_tables_only lists such tables.',
  reaches: 'provider',
  cost: 'The question goes to the provider of embeddings; a session and two statements on the monitored server.',
  privilege: { id: 5, description: 'Search a table by meaning (pgvector)' },
  most_statements: 16,
  examples: [
    {
      ask: 'What do the tickets say about slow logins?',
      input: { connection_id: 1, table_name: 'public.tickets', query_text: 'slow login' },
    },
  ],
  input: object({
    table_name: text({ minLength: 1, maxLength: 127, description: 'With its schema before it, or without.' }),
    query_text: text({ minLength: 1, maxLength: 8000, description: 'What to look for.' }),
    top_n: optional(integer({ minimum: 1, maximum: 50, default: 10 })),
    chunk_size_tokens: optional(integer({ minimum: 10, maximum: 1000, default: 100 })),
    lambda: optional(
      number({
        minimum: 0,
        maximum: 1,
        default: 0.6,
        description: '1: only near; 0: only different from each other.',
      }),
    ),
    max_output_tokens: optional(integer({ minimum: 50, maximum: 10_000, default: 1000 })),
    distance_metric: optional(oneOf(['cosine', 'l2', 'inner_product'], { default: 'cosine' })),
    output_format: optional(oneOf(['full', 'summary', 'ids_only'], { default: 'full' })),
    ...sqlInput,
  }),
  needs: 'embeddings',
  async run(ctx, { table_name, query_text, top_n = 10, lambda = 0.6, distance_metric = 'cosine', ...more }) {
    const { chunk_size_tokens = 100, max_output_tokens = 1000, output_format = 'full', ...named } = more;
    const embeddings = demandEmbeddings(ctx.deps);
    const place = { ctx, ...(await placeOf(ctx, named)) };
    const columns = await vectorColumns(place, table_name);
    const [vector = []] = await embeddings.of(ctx).embed([query_text]);
    const column = fitting(columns, vector.length, embeddings.name);
    const operator = OPERATORS[distance_metric];
    const found = await nearest(place, {
      column,
      vector,
      operator,
      most: Math.min(200, top_n * ROWS_A_PASSAGE),
    });
    const passages = choosePassages(found, {
      ...{ question: query_text, most: top_n, lambda },
      ...{ chunk_tokens: chunk_size_tokens, output_tokens: max_output_tokens },
    });
    const { schema, name, column: by } = column;
    return answer(ctx, {
      about: `${shownCount(passages.length, 'passage')} of ${schema}.${name} on connection ${place.connection_id}, by ${by}`,
      source: `the server itself at ${second(ctx.clock.now())}; distance: ${distance_metric}, less is nearer`,
      page: `/servers/${place.connection_id}`,
      sections: [{ ...table(passages, output_format), empty: 'The table has no rows with a vector.' }],
    });
  },
});
