// The plans that a statement has had: what their runs took, the tree of the chosen one, and another beside it. Guards: the tree with its
// conditions is only asked for by those who may read texts of the log.
import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { Result } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { inertBlock } from '../../../lib/inert-text.ts';
import { readPasted, shownMs, shownNumber } from '../../../lib/plans.ts';
import { useUrlTexts } from '../../../lib/url-state.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { StaleIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState, MissingRightState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../../identity/auth/use-user.ts';
import { DiffTable } from '../plan/plan-diff.tsx';
import { PlanView } from '../plan/plan-view.tsx';
import { COLUMNS, type Listed, nameColumn, shortHash } from './plan-columns.tsx';
import classes from './statement-plans.module.css';

type Plans = Result<'listQueryPlans'>;

const READ_MS = 300_000;

function Regression({
  regression,
  plans,
}: {
  regression: NonNullable<Plans['regression']>;
  plans: Plans['plans'];
}) {
  const nameOf = (id: string) => {
    const plan = plans.find((one) => one.id === id);
    return plan === undefined ? 'another plan' : `plan ${shortHash(plan)}`;
  };
  const { before_id, after_id, since, runs, mean_ms, before_mean_ms, factor, changes } = regression;
  return (
    <Notice tone="warn">
      {shownNumber(factor)} times as slow with {nameOf(after_id)} since <RelativeTime at={since} />:{' '}
      {shownMs(mean_ms)} in {shownNumber(runs)} runs, {shownMs(before_mean_ms)} with {nameOf(before_id)}.
      {changes.length === 0 ? (
        ' No change is known before that.'
      ) : (
        <Changes changes={changes} lead="What changed before:" />
      )}
    </Notice>
  );
}

interface ChangesProps {
  changes: NonNullable<Plans['regression']>['changes'];
  lead?: string;
}

function Changes({ changes, lead }: ChangesProps) {
  return (
    <>
      {lead === undefined ? null : ` ${lead}`}
      <ul className={classes.changes}>
        {changes.map(({ summary, occurred_at }) => (
          <li key={`${summary} ${occurred_at}`}>
            {inertBlock(summary)} {occurred_at === null ? null : <RelativeTime at={occurred_at} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Diff({ id, before, after }: { id: number; before: Listed; after: Listed }) {
  const query = useOperation('diffQueryPlans', {
    params: { id },
    query: { before: before.id, after: after.id },
  });
  return (
    <Query query={query} what="the comparison" lines={4}>
      {(diff) => (
        <>
          <DiffTable title={`Plan ${shortHash(before)} compared with plan ${shortHash(after)}`} diff={diff} />
          {diff.changes.length === 0 ? null : (
            <Panel title="What changed between the two">
              <Changes changes={diff.changes} />
            </Panel>
          )}
        </>
      )}
    </Query>
  );
}

function Tree({ explain, name }: { explain: string | null; name: string }) {
  const read = useMemo(() => (explain === null ? undefined : readPasted(explain)), [explain]);
  const plan = read !== undefined && 'plans' in read ? read.plans[0] : undefined;
  if (plan === undefined || explain === null)
    return <Notice tone="info">The tree of {name} was larger than 128 kB and is not kept.</Notice>;
  return (
    <>
      <Notice tone={plan.advice.length > 0 ? 'warn' : 'info'}>{plan.verdict}</Notice>
      <PlanView plan={plan} text={JSON.stringify(JSON.parse(explain), null, 2)} />
    </>
  );
}

function Chosen({ id, plan }: { id: number; plan: Listed }) {
  const { data: user } = useUser();
  const isAllowed = mayUse(user, 'read_logs');
  const query = useOperation('getQueryPlan', { params: { id, plan_id: plan.id } }, { enabled: isAllowed });
  if (!isAllowed)
    return (
      <Panel title={`Plan ${shortHash(plan)}`}>
        <MissingRightState what="read plans with their conditions">
          An administrator can give you the permission read_logs.
        </MissingRightState>
      </Panel>
    );
  return (
    <Query query={query} what="the plan" lines={8}>
      {({ explain }) => <Tree explain={explain} name={`plan ${shortHash(plan)}`} />}
    </Query>
  );
}

function Known({ id, known }: { id: number; known: Plans }) {
  const { plans, regression } = known;
  const [get, set] = useUrlTexts(['plan', 'with', 'node']);
  const chosen = plans.find((one) => one.id === get('plan'));
  const other = plans.find((one) => one.id === get('with') && one !== chosen);
  const choose = (plan: string) => set({ plan: plan === chosen?.id ? '' : plan, with: '', node: '' });
  return (
    <div className={layout.stack}>
      <Panel
        title="Plans"
        note={`${plans.length === 1 ? '1 plan' : `${plans.length} plans`}, values masked`}
        flush
      >
        {regression === null ? null : <Regression regression={regression} plans={plans} />}
        <DataTable
          caption="Plans of the statement"
          columns={[nameColumn(chosen?.id ?? '', choose), ...COLUMNS]}
          rows={plans}
          rowKey={(plan) => plan.id}
        />
      </Panel>
      {chosen === undefined ? null : (
        <>
          {plans.length < 2 ? null : (
            <NativeSelect
              label={`Compare plan ${shortHash(chosen)} with`}
              className={classes.compare}
              data={[
                { value: '', label: 'No other plan' },
                ...plans
                  .filter((one) => one !== chosen)
                  .map((one) => ({
                    value: one.id,
                    label: `Plan ${shortHash(one)}${one.source === 'log' ? '' : ` by ${one.source}`}`,
                  })),
              ]}
              value={other?.id ?? ''}
              onChange={(event) => set({ with: event.target.value })}
            />
          )}
          {other === undefined ? null : <Diff id={id} before={other} after={chosen} />}
          <Chosen key={chosen.id} id={id} plan={chosen} />
        </>
      )}
    </div>
  );
}

export function StatementPlans({ id, queryid }: { id: number; queryid: string }) {
  const query = useOperation('listQueryPlans', { params: { id, queryid } }, { everyMs: READ_MS });
  return (
    <Query query={query} what="the plans" lines={4}>
      {(known) =>
        known.plans.length > 0 ? (
          <Known id={id} known={known} />
        ) : (
          <Panel title="Plans">
            <EmptyState icon={<StaleIcon size={26} />} title="No plans">
              {known.reason}
            </EmptyState>
            {known.mend === null ? null : (
              <CodeBlock code={known.mend} label="Log plans of slow statements; run as a superuser" />
            )}
          </Panel>
        )
      }
    </Query>
  );
}
