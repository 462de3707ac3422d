// What is collected of a server, why something is not, and what mends it.
import { getConnectionCoverage } from '../../estate/estate.ts';
import { boolean, object, optional } from '../../kernel/schema.ts';
import { answer, second } from './support/answer.ts';
import { connectionFor, connectionInput } from './support/inputs.ts';
import { defineTool } from './types.ts';

const FINE = ['ok', 'not_applicable'];

export const tool = defineTool({
  name: 'get_coverage',
  title: 'What is known of a server',
  summary: 'What is collected of a server, and why something is not.',
  description:
    'Says for each probe whether it works on a server: missing rights, extensions or sources, what is switched off, stale or failing, and the statement that fixes it. Ask it when another tool knows nothing. Probes that work are only counted unless all is true.',
  cost: 'Two statements on our datastore.',
  privilege: { id: 31, description: 'Read what is collected of a server, and why something is not' },
  most_statements: 5,
  examples: [{ ask: 'Why are there no statements of server 1?', input: { connection_id: 1 } }],
  input: object({
    ...connectionInput,
    all: optional(boolean({ default: false, description: 'Also what works.' })),
  }),
  async run(ctx, { connection_id: named, all = false }) {
    const connection_id = await connectionFor(ctx, named);
    const { probes, remedies } = await getConnectionCoverage(ctx, connection_id);
    const shown = probes.filter(({ status }) => all || !FINE.includes(status));
    return answer(ctx, {
      about: `Connection ${connection_id}: ${probes.filter(({ status }) => FINE.includes(status)).length} of ${probes.length} probes are as they should be`,
      source: `what the collector met, as known at ${second(ctx.clock.now())}`,
      page: `/servers/${connection_id}?tab=coverage`,
      sections: [
        {
          title: all ? 'Probes' : 'Probes with a problem',
          columns: ['probe', 'database', 'status', 'reason', 'checked_at', 'collected_at'],
          rows: shown.map((one) => [
            ...[one.probe, one.database_name, one.status, one.reason, one.checked_at, one.collected_at],
          ]),
          empty: 'None.',
        },
        {
          title: 'Biggest fixes first, for a person to run',
          columns: ['database', 'statement'],
          rows: remedies.slice(0, 20).map((one) => [one.database_name, one.statement]),
          total: remedies.length,
          isWhole: true,
          empty: 'Nothing is to be done.',
        },
      ],
    });
  },
});
