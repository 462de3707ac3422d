// Times in which nobody is told of alerts, and the schedules that make them.

import { listBlackoutSchedules, listBlackouts } from '../../alerting/alerting.ts';
import { demandConnection } from '../../identity/identity.ts';
import { boolean, object, optional } from '../../kernel/schema.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { answer, type Section, second } from './support/answer.ts';
import { anyConnectionInput, limitInput } from './support/inputs.ts';
import { defineTool, type ToolCtx } from './types.ts';

async function schedules(ctx: ToolCtx, limit: number): Promise<Section> {
  const found = await listBlackoutSchedules(ctx, {}, { limit, offset: 0 });
  return {
    title: 'Schedules',
    columns: ['id', 'name', 'scope', 'target', 'cron', 'timezone', 'minutes', 'enabled', 'reason'],
    rows: found.schedules.map((one) => [
      ...[one.id, one.name, one.scope, one.target_name, one.cron_expression, one.timezone],
      ...[one.duration_minutes, one.enabled, one.reason],
    ]),
    total: found.total_count,
    rest: 'A larger limit shows more.',
    empty: 'There is no schedule that you can see.',
  };
}

export const tool = defineTool({
  name: 'get_blackouts',
  title: 'Blackouts',
  summary: 'Planned times without notifications.',
  description:
    'Lists blackouts, newest first: times without notifications for the estate, a group, a cluster or a server. With connection_id those that cover that server. Alerts fire in them all the same.',
  cost: 'Two to five statements on our datastore.',
  privilege: { id: 14, description: 'Read blackouts and their schedules' },
  most_statements: 3,
  examples: [{ ask: 'Is a blackout running?', input: { active_only: true } }],
  input: object({
    ...anyConnectionInput,
    active_only: optional(boolean({ default: false })),
    include_schedules: optional(boolean({ default: false })),
    limit: limitInput(20, 50),
  }),
  async run(ctx, { connection_id, active_only = false, include_schedules = false, limit = 20 }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    const filter = {
      ...(connection_id !== undefined && { covers_connection_id: connection_id }),
      ...(active_only && { active: true }),
    };
    const { blackouts, total_count } = await listBlackouts(ctx, filter, { limit, offset: 0 });
    const table = {
      columns: ['id', 'scope', 'target', 'database', 'start_time', 'end_time', 'active', 'by', 'reason'],
      rows: blackouts.map((one) => [
        ...[one.id, one.scope, one.target_name, one.database_name, one.start_time, one.end_time],
        ...[one.is_active, one.created_by, one.reason],
      ]),
    };
    return answer(ctx, {
      about: `${shownCount(total_count, 'blackout')}${active_only ? ' in force' : ''}${connection_id === undefined ? '' : ` on connection ${connection_id}`}`,
      source: `blackouts as they are kept, at ${second(ctx.clock.now())}`,
      page: '/blackouts',
      sections: [
        { ...table, total: total_count, rest: 'A larger limit shows more.', empty: 'There is none.' },
        ...(include_schedules ? [await schedules(ctx, limit)] : []),
      ],
    });
  },
});
