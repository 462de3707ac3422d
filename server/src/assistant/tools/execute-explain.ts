// The plan of a statement, and with analyze what it really took.
import { cutText } from '../../kernel/inert-text.ts';
import { boolean, object, oneOf, optional } from '../../kernel/schema.ts';
import { plainAnswer } from '../mcp/toolbox.service.ts';
import { pageOf, second } from './support/answer.ts';
import { demandAnswer, placeOf, sqlInput, statementInput } from './support/sql.ts';
import { defineTool } from './types.ts';

/** More of a plan is cut. */
const LONGEST = 40_000;

export const tool = defineTool({
  name: 'execute_explain',
  title: 'Explain a statement',
  summary: 'The plan of a statement; with analyze it is run.',
  description:
    'Answers the plan that the server makes for one statement now, always in a READ ONLY transaction. Without analyze nothing is run, and statements that write are planned too where planning calls no function of the database. With analyze the statement is run and must only read. Plans that statements have had are in get_plans.',
  reaches: 'server',
  cost: 'A session on the monitored server; with analyze all that the statement takes, at most 30 s.',
  privilege: { id: 3, description: 'Explain the plan of a query' },
  most_statements: 9,
  examples: [
    { ask: 'Why is this slow?', input: { connection_id: 1, query: 'select * from orders where id = 7' } },
  ],
  input: object({
    query: statementInput(),
    ...sqlInput,
    analyze: optional(boolean({ default: false, description: 'Run it, and say what it took.' })),
    buffers: optional(boolean({ default: false, description: 'Say how many blocks it read.' })),
    format: optional(oneOf(['text', 'json'], { default: 'text' })),
  }),
  async run(ctx, { query, analyze = false, buffers = false, format = 'text', ...named }) {
    const place = await placeOf(ctx, named);
    const wishes = { analyze, buffers, format, timeout_ms: 30_000 };
    const wanted = { ...place, ...wishes, text: query, purpose: 'tool execute_explain' };
    const { rows } = demandAnswer(await ctx.deps.sql.explain(ctx, wanted));
    const plan = rows.map(([line]) => line ?? '').join('\n');
    const cut = plan.length > LONGEST ? `\n(cut at ${LONGEST} of ${plan.length} characters)` : '';
    const page = `/servers/${place.connection_id}?tab=queries`;
    const lines = [
      `Plan ${analyze ? 'and run ' : ''}on connection ${place.connection_id} at ${second(ctx.clock.now())}`,
      `Page: ${pageOf(ctx, page)}`,
      `${cutText(plan, LONGEST)}${cut}`,
    ];
    return { ...plainAnswer(lines.join('\n')), page };
  },
});
