// Statements of an answer: run to read only, with what came of them, and never confirmed where they may write.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { RunStatement } from './run-statement.tsx';

const SQL = 'select pid from pg_locks';

it('runs a statement on its server and shows its rows', async () => {
  const outcome = { columns: ['pid'], rows: [['4711'], [null]], row_count: 2, truncated: false, query: SQL };
  const api = await startApi({ runConnectionQuery: { results: [outcome], total_statements: 1 } });
  const { user } = show(<RunStatement sql={SQL} connectionId={3} />);
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByRole('cell', { name: '4711' });
  screen.getByRole('cell', { name: 'null' });
  screen.getByText('2 rows');
  expect(api.sent.find(({ operation }) => operation === 'runConnectionQuery')).toMatchObject({
    path: '/api/v1/connections/3/query',
    body: { query: SQL, confirmed: false },
  });
});

it('does not confirm what may write', async () => {
  const api = await startApi({
    runConnectionQuery: { requires_confirmation: true, write_statements: [SQL] },
  });
  const { user } = show(<RunStatement sql={SQL} connectionId={3} />);
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByText(/was not run/);
  expect(api.sent.filter(({ operation }) => operation === 'runConnectionQuery').length).toBe(1);
});

it('says why a statement failed', async () => {
  const failed = {
    columns: [],
    rows: [],
    row_count: 0,
    truncated: false,
    query: SQL,
    error: 'No such table.',
  };
  await startApi({ runConnectionQuery: { results: [failed], total_statements: 1 } });
  const { user } = show(<RunStatement sql={SQL} connectionId={3} />);
  await user.click(screen.getByRole('button', { name: 'Run' }));
  await screen.findByText('No such table.');
});
