// Everything that is stored of one instant of a server.
import { getConnectionMoment } from '../../insight/insight.ts';
import { object } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { connectionFor, connectionInput, instantOf, limitInput, timeInput, wire } from './support/inputs.ts';
import { momentSections } from './support/moment.ts';
import { momentPage } from './support/pages.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_moment',
  title: 'One moment of a server',
  summary: 'What a server did at one second: sessions, waits, locks, machine, log.',
  description:
    'Says what was going on at one instant: sessions and their statements, what they waited for, who blocked whom, commands under way, the machine and the log of these seconds, each part as of the sample nearest before. Use it at the second that an alert or a peak points to.',
  cost: 'About eight statements on our datastore.',
  privilege: { id: 26, description: 'Read everything that is known of one second' },
  most_statements: 15,
  examples: [{ ask: 'What happened at 10:15?', input: { connection_id: 1, at: '2026-11-20T10:15:00Z' } }],
  input: object({
    ...connectionInput,
    at: timeInput('The instant', 'now'),
    limit: limitInput(20, 200),
  }),
  async run(ctx, { connection_id: named, at = 'now', limit = 20 }) {
    const connection_id = await connectionFor(ctx, named);
    const instant = wire(instantOf('at', at, ctx.clock.now()));
    const moment = await getConnectionMoment(ctx, connection_id, { at: instant, limit });
    return answer(ctx, {
      about: `Connection ${connection_id} at ${moment.at}`,
      source: 'samples; each part says of when it is',
      page: momentPage(connection_id, 'sessions', moment.at),
      sections: momentSections(moment),
    });
  },
});
