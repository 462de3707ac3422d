// What a part of a page shows while it reads, when it may not, when it cannot, and when it could before.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useOperation } from '../api/use-operation.ts';
import { Refusal, startApi } from '../testing/api.ts';
import { show } from '../testing/show.tsx';
import { Query } from './query.tsx';

const groups = (...names: string[]) => ({
  groups: names.map((name, id) => ({
    id,
    name,
    description: '',
    created_at: '2026-01-01T00:00:00Z',
    requires_second_factor: false,
    member_count: 0,
    member_of: [],
  })),
});

function Names() {
  const query = useOperation('listGroups', {});
  return (
    <>
      <Query query={query} what="the groups">
        {(data) => <p>{data.groups.map(({ name }) => name).join(', ')}</p>}
      </Query>
      <button type="button" onClick={() => void query.refetch()}>
        Again
      </button>
    </>
  );
}

it('shows bars, named for those who listen, and then what was read', async () => {
  await startApi({ listGroups: groups('dba', 'ops') });
  show(<Names />);
  expect(screen.getByRole('status').textContent).toBe('Loading the groups');
  await screen.findByText('dba, ops');
  expect(screen.queryByRole('status')).toBeNull();
});

it('says what failed with the id of the request, and asks again when told to', async () => {
  const api = await startApi({ listGroups: new Refusal(503, 'The datastore rests.') });
  const { user } = show(<Names />);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toMatch(/Could not load the groups.*The datastore rests\..*r-1/);
  api.answer({ listGroups: groups('dba') });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('dba');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('says that something may not be seen, and offers no second try', async () => {
  await startApi({ listGroups: new Refusal(403, 'forbidden') });
  show(<Names />);
  await screen.findByText('You may not see the groups');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('keeps what was read while reading again fails', async () => {
  const api = await startApi({ listGroups: groups('dba') });
  const { user } = show(<Names />);
  await screen.findByText('dba');
  api.answer({ listGroups: new Refusal(503, 'The datastore rests.') });
  await user.click(screen.getByRole('button', { name: 'Again' }));
  await expect.poll(() => api.sent.length).toBe(2);
  expect(screen.getByText('dba').textContent).toBe('dba');
  expect(screen.queryByRole('alert')).toBeNull();
});
