// One reading statement on a monitored database.

import { integer, object, optional } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer, second } from './support/answer.ts';
import { limitInput } from './support/inputs.ts';
import { demandAnswer, placeOf, rowsSection, sqlInput, statementInput } from './support/sql.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'query_database',
  title: 'Query a database',
  summary: 'Runs one reading statement on a monitored database.',
  description:
    'Runs one select, show or explain on a monitored database and answers its rows. It is parsed first, and refused where it may do more than read: functions have to be built in and harmless. It runs in a READ ONLY transaction that is rolled back, with a time limit of 30 s. For figures over time ask query_metrics instead: those are stored and cost the server nothing.',
  reaches: 'server',
  cost: 'A session and the statement on the monitored server; a row in the audit log.',
  privilege: { id: 1, description: 'Run a reading SQL query on a monitored database' },
  most_statements: 9,
  examples: [
    {
      ask: 'Which settings differ from their defaults?',
      input: {
        connection_id: 1,
        query: "select name, setting from pg_settings where source not in ('default', 'override')",
      },
    },
  ],
  input: object({
    query: statementInput(),
    ...sqlInput,
    limit: limitInput(100, 1000),
    offset: optional(integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  async run(ctx, { query, limit = 100, offset = 0, ...named }) {
    const place = await placeOf(ctx, named);
    const purpose = 'tool query_database';
    const wanted = { ...place, text: query, purpose, timeout_ms: 30_000, limit, offset };
    const found = demandAnswer(await ctx.deps.sql.run(ctx, wanted));
    return answer(ctx, {
      about: `${many(found.rows.length, 'row')} from connection ${place.connection_id}`,
      source: `the server itself at ${second(ctx.clock.now())}, in ${Math.round(found.ms)} ms`,
      page: `/servers/${place.connection_id}`,
      sections: [rowsSection(found)],
    });
  },
});
