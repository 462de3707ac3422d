// The plans that a statement has had, what their runs took, and what changed before it became slower.
import { listQueryPlans } from '../../insight/insight.ts';
import { object, text } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { connectionFor, connectionInput } from './support/inputs.ts';
import { changesSection } from './support/plan-changes.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_plans',
  title: 'Plans of a statement',
  summary: 'Plans that a statement has had, and what changed when it became slower.',
  description:
    'Lists the plans of a statement by its queryid, from auto_explain in the log, from pg_store_plans and pg_stat_plans where they are installed, and from plans made without values: when each was seen, what its runs took, how far the planner was off. Where the present plan is slower than one before, it says since when and what changed before: indexes, settings, version, statistics, size. explain_plan reads one of them by its plan_id.',
  cost: 'Two statements on our datastore, and up to twenty more where the plan became slower.',
  privilege: { id: 35, description: 'Read which plans a statement has had' },
  most_statements: 40,
  examples: [
    {
      ask: 'Did the plan of this statement change?',
      input: { connection_id: 1, queryid: '-4725382164029184731' },
    },
  ],
  input: object({
    queryid: text({ pattern: '^-?[0-9]{1,19}$', description: 'a whole number of 64 bits, as text' }),
    ...connectionInput,
  }),
  async run(ctx, { queryid, connection_id: named }) {
    const connection_id = await connectionFor(ctx, named);
    const { plans, regression, reason, mend } = await listQueryPlans(ctx, connection_id, queryid);
    const about = regression
      ? `${Math.round(regression.factor * 10) / 10} times as slow with plan ${regression.after_id} since ${regression.since}: ${regression.mean_ms} ms in ${regression.runs} runs, ${regression.before_mean_ms} ms with plan ${regression.before_id}`
      : `${plans.length} plans, the present one no slower than before`;
    return answer(ctx, {
      about: `Statement ${queryid} of connection ${connection_id}: ${plans.length === 0 ? 'no plans' : about}`,
      source:
        'auto_explain in the log, of which a sample is read, pg_store_plans and pg_stat_plans, and plans made without values',
      page: `/servers/${connection_id}/queries/${queryid}`,
      notes: mend === null ? [] : [`A superuser makes the server log plans: ${mend.replaceAll('\n', ' ')}`],
      sections: [
        {
          title: 'Plans, the one seen last first',
          columns: [
            ...[
              'plan_id',
              'database',
              'source',
              'is_current',
              'runs',
              'planned',
              'mean_ms',
              'worst_ms',
              'mean_rows',
            ],
            ...['mean_temp_blocks', 'worst_estimate', 'first_seen', 'last_seen', 'outline'],
          ],
          rows: plans.map((one) => [
            ...[
              one.id,
              one.database_name,
              one.source,
              one.is_current,
              one.logged_count,
              one.planned_count,
              one.mean_ms,
            ],
            ...[one.worst_ms, one.mean_rows, one.mean_temp_blocks],
            one.worst_estimate &&
              `${one.worst_estimate.factor} times ${one.worst_estimate.direction} at node ${one.worst_estimate.node}`,
            ...[one.first_seen, one.last_seen, one.outline],
          ]),
          empty: reason ?? 'None were seen.',
        },
        ...(regression ? [changesSection('What changed before it became slower', regression.changes)] : []),
      ],
    });
  },
});
