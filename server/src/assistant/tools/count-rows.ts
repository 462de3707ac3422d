// How many rows a table has, exactly.
import { object, optional, text } from '../../kernel/schema.ts';
import { second } from './support/answer.ts';
import { demandAnswer, demandExpression, placeOf, sqlInput } from './support/sql.ts';
import { countStatement } from './support/statements.queries.ts';
import { defineTool } from './types.ts';

const name = (description: string) => text({ minLength: 1, maxLength: 63, description });

export const tool = defineTool({
  name: 'count_rows',
  title: 'Count rows',
  summary: 'Counts the rows of a table, or those that fit a condition.',
  description:
    'Counts the rows of one table, exactly. where is one expression such as "created_at > now() - interval \'1 day\'". A large table is read whole: get_schema_info says the estimate for nothing.',
  reaches: 'server',
  cost: 'A session and a count on the monitored server, which reads the table or an index; ends after 30 s.',
  privilege: { id: 4, description: 'Count the rows of a table' },
  most_statements: 9,
  examples: [
    {
      ask: 'How many orders are open?',
      input: { connection_id: 1, table: 'orders', where: "state = 'open'" },
    },
  ],
  input: object({
    table: name('As it is in the catalog, without quotes.'),
    schema: optional(name('public when left out.')),
    where: optional(text({ minLength: 1, maxLength: 10_000, description: 'One expression.' })),
    ...sqlInput,
  }),
  async run(ctx, { table, schema = 'public', where, ...named }) {
    if (where !== undefined) demandExpression(where);
    const place = await placeOf(ctx, named);
    const statement = countStatement({ schema, table, where });
    const wanted = { ...place, text: statement, purpose: 'tool count_rows', timeout_ms: 30_000, limit: 1 };
    const { rows } = demandAnswer(await ctx.deps.sql.run(ctx, wanted));
    const condition = where === undefined ? '' : ` where ${where}`;
    return `count\n${rows[0]?.[0] ?? 'null'}\nRows of ${schema}.${table}${condition} on connection ${place.connection_id}, counted at ${second(ctx.clock.now())}.`;
  },
});
