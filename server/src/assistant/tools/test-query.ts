// Whether the server would take a statement; it is never run.
import { object } from '../../kernel/schema.ts';
import { demandAnswer, placeOf, sqlInput, statementInput } from './support/sql.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'test_query',
  title: 'Test a statement',
  summary: 'Says whether the server would take a statement, without running it.',
  description:
    'Prepares one statement on the server and forgets it again: grammar, names and types are checked by that very server and version. It is never run. Use it before a statement is shown to a person or run.',
  reaches: 'server',
  cost: 'A session on the monitored server; nothing is run.',
  privilege: { id: 19, description: 'Check that a query is valid without running it', is_public: true },
  most_statements: 9,
  examples: [{ ask: 'Is this valid there?', input: { connection_id: 1, query: 'select * from orders' } }],
  input: object({ query: statementInput(), ...sqlInput }),
  async run(ctx, { query, ...named }) {
    const place = await placeOf(ctx, named);
    const wanted = { ...place, text: query, purpose: 'tool test_query' };
    const { parameter_types: types } = demandAnswer(await ctx.deps.sql.prepareOnly(ctx, wanted));
    const parameters = types.map((type, index) => `$${index + 1} ${type}`).join(', ');
    return `The server takes it (connection ${place.connection_id})${parameters === '' ? '' : `, with the parameters ${parameters}`}. It was not run.`;
  },
});
