// Saved searches beside the filters of a log: one is chosen, saved, renamed and deleted, and the address holds what is searched.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { LogFilters, useLogFilters } from './log-filters.tsx';
import { type SavedSearch, SavedSearches } from './saved-searches.tsx';

const SEARCH: SavedSearch = {
  id: 3,
  name: 'Errors of checkout',
  filter: { severity: 'ERROR', application_name: 'checkout', important: true },
  created_at: '2026-11-29T07:00:00.000Z',
};

function Both() {
  const filters = useLogFilters();
  return (
    <>
      <LogFilters {...filters} />
      <SavedSearches {...filters} />
    </>
  );
}

async function open(searches: SavedSearch[], at = '/servers/1?tab=logs') {
  const api = await startApi({
    listLogSearches: { searches },
    saveLogSearch: SEARCH,
    renameLogSearch: SEARCH,
    deleteLogSearch: { status: 'deleted' },
  });
  const sent = (operation: string) => api.sent.filter((one) => one.operation === operation);
  return { ...show(<Both />, { at }), api, sent };
}

it('sets the filters to those of the one that is chosen, and back', async () => {
  const { user, router } = await open([SEARCH], '/servers/1?tab=logs&search=x');
  const choice = await screen.findByRole('combobox', { name: 'Saved searches' });
  await user.selectOptions(choice, 'Errors of checkout');
  expect(router.state.location.search).toBe('?tab=logs&severity=ERROR&application=checkout&important=yes');
  await screen.findByRole('button', { name: 'Rename or delete' });
  await user.selectOptions(choice, 'Saved searches');
  expect(router.state.location.search).toBe('?tab=logs');
  await expect.poll(() => screen.queryByRole('button', { name: 'Save search' })).toBeNull();
});

it('saves what is set by a name, and says why not', async () => {
  const { user, api, sent } = await open([], '/servers/1?tab=logs&search=timeout&class=deadlock');
  api.answer({ saveLogSearch: new Refusal(409, 'You already have a search of that name.') });
  await user.click(await screen.findByRole('button', { name: 'Save search' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Save this search' }));
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), ' Timeouts ');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await dialog.findByText('You already have a search of that name.');
  api.answer({ saveLogSearch: SEARCH });
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(sent('saveLogSearch').at(-1)?.body).toEqual({
    name: 'Timeouts',
    filter: { search: 'timeout', class: 'deadlock' },
  });
});

it('renames and deletes the one that is shown', async () => {
  const { user, sent } = await open(
    [SEARCH],
    '/servers/1?tab=logs&severity=ERROR&application=checkout&important=yes',
  );
  const button = await screen.findByRole('button', { name: 'Rename or delete' });
  await user.click(button);
  let dialog = within(await screen.findByRole('dialog', { name: 'Saved search' }));
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), ' page');
  await user.click(dialog.getByRole('button', { name: 'Rename' }));
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(sent('renameLogSearch')).toMatchObject([
    { path: '/api/v1/log-searches/3', body: { name: 'Errors of checkout page' } },
  ]);
  await user.click(button);
  dialog = within(await screen.findByRole('dialog', { name: 'Saved search' }));
  await user.click(dialog.getByRole('button', { name: 'Delete' }));
  await expect.poll(() => sent('deleteLogSearch').length).toBe(1);
});
