// "Explain this" on what is not collected: one thing with its reason and what mends it, and all of it, worst first.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Coverage } from '../../../api/types.ts';
import { startApi } from '../../../testing/api.ts';
import { ExplainCalls } from '../../../testing/explain.tsx';
import { show } from '../../../testing/show.tsx';
import { Remedies } from './coverage-remedies.tsx';

const REMEDY: Coverage['remedies'][number] = {
  ...{ status: 'missing_extension', reason: 'pg_stat_statements is not installed.' },
  ...{ probes: ['pg_stat_statements'], databases: ['shop'], database_name: 'shop', count: 2 },
  ...{ statement: 'create extension pg_stat_statements;', run_on: 'primary', needs_restart: false },
  checked_at: null,
};

it('asks about one thing, and about all', async () => {
  await startApi({});
  const asked = new ExplainCalls();
  const { user } = show(asked.around(<Remedies id={1} remedies={[REMEDY]} entries={[]} />));
  await user.click(screen.getByRole('button', { name: 'Explain: pg_stat_statements' }));
  await user.click(screen.getByRole('button', { name: 'Explain: what is not collected' }));
  const missing = [
    {
      ...{ status: 'missing_extension', reason: 'pg_stat_statements is not installed.' },
      ...{ probes: ['pg_stat_statements'], databases: ['shop'] },
      ...{ mended_by: 'create extension pg_stat_statements;', needs_restart: false },
    },
  ];
  expect(asked.questions).toEqual([
    {
      message: expect.stringMatching(/^Why is pg_stat_statements not collected/),
      about: { kind: 'coverage', missing },
    },
    {
      message: expect.stringMatching(/^What is not collected on this server/),
      about: { kind: 'coverage', missing },
    },
  ]);
});

it('is not there where all is collected', async () => {
  await startApi({});
  show(new ExplainCalls().around(<Remedies id={1} remedies={[]} entries={[]} />));
  expect(screen.queryByRole('button', { name: /^Explain/ })).toBeNull();
});
