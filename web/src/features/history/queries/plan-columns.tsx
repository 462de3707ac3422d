// The columns of the plans that a statement has had. Guards: what is not known says why, by the source of its plan.
import type { Result } from '../../../api/client.ts';
import { inertBlock } from '../../../lib/inert-text.ts';
import { shownMs, shownNumber } from '../../../lib/plans.ts';
import type { Column } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './statement-plans.module.css';

export type Listed = Result<'listQueryPlans'>['plans'][number];

const notSeen = ({ source }: Listed) =>
  source === 'log' ? 'Not seen in the log' : `${source} has counted no run since its first reading`;
const notMeasured = (plan: Listed) => {
  if (plan.source === 'log') return 'auto_explain.log_analyze is off';
  return plan.logged_count === 0 ? notSeen(plan) : `${plan.source} does not count it`;
};
const notEstimated = ({ source }: Listed) =>
  source === 'pg_stat_plans'
    ? 'pg_stat_plans keeps no rows of nodes'
    : `${source === 'log' ? 'auto_explain' : source}.log_analyze is off`;
const SHORT_HASH = 6;

export const shortHash = ({ plan_hash }: Listed) => plan_hash.slice(0, SHORT_HASH);

const ms = (value: number | null, because: string) =>
  value === null ? <Unknown because={because} /> : shownMs(value);
const amount = (plan: Listed, value: number | null) =>
  value === null ? <Unknown because={notMeasured(plan)} /> : shownNumber(Math.round(value * 10) / 10);

export function nameColumn(chosen: string, onChoose: (id: string) => void): Column<Listed> {
  return {
    key: 'plan',
    title: 'Plan',
    width: 'half',
    render: (plan) => (
      <div className={classes.plan}>
        <button
          type="button"
          className={classes.choose}
          aria-pressed={plan.id === chosen}
          onClick={() => onChoose(plan.id)}
        >
          Plan {shortHash(plan)}
        </button>
        {plan.is_current ? <span className={classes.mark}>current</span> : null}
        <span className={layout.small}>{plan.database_name}</span>
        <code className={classes.outline}>{inertBlock(plan.outline)}</code>
      </div>
    ),
  };
}

export const COLUMNS: readonly Column<Listed>[] = [
  {
    key: 'seen',
    title: 'Seen',
    hint: 'Executions found in the log or counted by an extension, and generic plans',
    align: 'end',
    render: ({ logged_count, planned_count, source }) =>
      [
        source === 'log' && logged_count === 0
          ? ''
          : `${shownNumber(logged_count)} ${source === 'log' ? 'logged' : `by ${source}`}`,
        planned_count > 0 ? `${shownNumber(planned_count)} planned` : '',
      ]
        .filter((text) => text !== '')
        .join(', '),
  },
  { key: 'mean', title: 'Mean time', align: 'end', render: (plan) => ms(plan.mean_ms, notSeen(plan)) },
  {
    key: 'worst',
    title: 'Longest',
    align: 'end',
    needs: 'medium',
    render: (plan) => ms(plan.worst_ms, plan.logged_count > 0 ? notMeasured(plan) : notSeen(plan)),
  },
  {
    key: 'rows',
    title: 'Rows',
    align: 'end',
    needs: 'medium',
    render: (plan) => amount(plan, plan.mean_rows),
  },
  {
    key: 'blocks',
    title: 'Blocks',
    hint: 'Cache hits and reads per execution',
    align: 'end',
    needs: 'wide',
    render: (plan) => {
      const { mean_hit_blocks: hit, mean_read_blocks: read } = plan;
      return amount(plan, hit === null || read === null ? null : hit + read);
    },
  },
  {
    key: 'temp',
    title: 'Temp blocks',
    align: 'end',
    needs: 'wide',
    render: (plan) => amount(plan, plan.mean_temp_blocks),
  },
  {
    key: 'jit',
    title: 'JIT',
    align: 'end',
    needs: 'wide',
    render: (plan) => ms(plan.mean_jit_ms, notMeasured(plan)),
  },
  {
    key: 'estimate',
    title: 'Worst estimate',
    align: 'end',
    needs: 'medium',
    render: (plan) => {
      const { worst_estimate: worst } = plan;
      return worst === null ? (
        <Unknown because={notEstimated(plan)} />
      ) : (
        `${shownNumber(worst.factor)}× ${worst.direction} at node ${worst.node}`
      );
    },
  },
  {
    key: 'time',
    title: 'First and last seen',
    needs: 'medium',
    render: ({ first_seen, last_seen }) => (
      <>
        <RelativeTime at={first_seen} />, <RelativeTime at={last_seen} />
      </>
    ),
  },
];
