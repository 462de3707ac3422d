// "Explain this" on the plan of a statement in an answer: the statement and its plan go along, to the server that planned it.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { show } from '../../../testing/show.tsx';
import type { Statement } from './chat-state.ts';
import { OneStatement } from './one-statement.tsx';

const PLANNED: Statement = {
  ...{ type: 'statement', start: 0, end: 52, sql: 'select pid,\n  mode from pg_locks where not granted' },
  ...{
    connection_id: 3,
    can_run: true,
    reason: null,
    plan: 'Function Scan on pg_lock_status l  (cost=0.00..10.00 rows=500)',
  },
};

it('asks about the plan with its statement, of the server that planned it', async () => {
  await startApi({});
  const asked = new ExplainCalls();
  const { user } = show(asked.around(<OneStatement statement={PLANNED} />));
  await user.click(
    screen.getByRole('button', { name: 'Explain: plan of select pid, mode from pg_locks where not…' }),
  );
  expect(asked.questions).toEqual([
    {
      message: expect.stringContaining('plan'),
      about: { kind: 'plan', connection_id: 3, statement: PLANNED.sql, plan: PLANNED.plan },
      scope: { kind: 'server', id: 3 },
    },
  ]);
});

it('sends no more of a long plan than the server takes', async () => {
  await startApi({});
  const asked = new ExplainCalls();
  const plan = `${'Append "x"\n'.repeat(10_000)}`;
  const { user } = show(asked.around(<OneStatement statement={{ ...PLANNED, plan }} />));
  await user.click(screen.getByRole('button', { name: /^Explain: plan/ }));
  const about = asked.questions[0]?.about;
  expect(JSON.stringify(about).length).toBeLessThanOrEqual(20_000);
  const cut = expect.stringMatching(/^Append "x"\n[\s\S]* … \(cut, 110000 characters\)$/);
  expect(about).toMatchObject({ kind: 'plan', statement: PLANNED.sql, plan: cut });
});

it('has no button without a plan, or where nobody may chat', async () => {
  await startApi({});
  const { plan: _, ...unplanned } = PLANNED;
  const { unmount } = show(new ExplainCalls().around(<OneStatement statement={unplanned} />));
  expect(screen.queryByRole('button', { name: /^Explain/ })).toBeNull();
  unmount();
  show(<OneStatement statement={PLANNED} />);
  screen.getByText('Plan');
  expect(screen.queryByRole('button', { name: /^Explain/ })).toBeNull();
});
