// Who blocks whom on a server, as a tree.
import { locksAt } from '../../insight/insight.ts';
import { object } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { connectionFor, connectionInput, instantOf, timeInput, wire } from './support/inputs.ts';
import { locksSection } from './support/moment.ts';
import { momentPage } from './support/pages.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_locks',
  title: 'Who blocks whom',
  summary: 'Sessions that wait for locks, and who holds them up.',
  description:
    'Says which sessions waited for locks at an instant, for what, how long, and who held them up: roots have no blocked_by and block all beneath them. A root that is idle in transaction is usually the cause.',
  cost: 'About three statements on our datastore.',
  privilege: { id: 27, description: 'Read who blocks whom' },
  most_statements: 12,
  examples: [{ ask: 'Who blocks whom right now?', input: { connection_id: 1 } }],
  input: object({ ...connectionInput, at: timeInput('The instant', 'now') }),
  async run(ctx, { connection_id: named, at = 'now' }) {
    const connection_id = await connectionFor(ctx, named);
    const instant = wire(instantOf('at', at, ctx.clock.now()));
    const locks = await locksAt(ctx, connection_id, { at: instant });
    return answer(ctx, {
      about: `Locks on connection ${connection_id} at ${instant}`,
      source: 'the probe pg_locks_tree',
      page: momentPage(connection_id, 'locks', instant),
      sections: [locksSection({ locks })],
    });
  },
});
