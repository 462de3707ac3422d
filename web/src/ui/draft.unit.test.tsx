// What every form does with what was typed: it is asked about before it is lost, sent once and only whole, and cut with a word.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { Link } from 'react-router';
import { expect, it, vi } from 'vitest';
import { ClustersPage } from '../features/estate/clusters/clusters-page.tsx';
import { SecondFactor } from '../features/identity/account/second-factor.tsx';
import { GroupDialog } from '../features/identity/rbac/group-dialog.tsx';
import { Refusal, startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { show } from '../testing/show.tsx';
import { Dialog } from './dialog.tsx';
import { dropDrafts, usePageDraft } from './draft.tsx';

function Page() {
  const [isOpen, setOpen] = useState(true);
  return isOpen ? <GroupDialog opened onClose={() => setOpen(false)} /> : <p>closed</p>;
}

async function open(answer = new Refusal(409, 'There is such a group.')) {
  const api = await startApi({ createGroup: answer });
  const { user, router } = show(<Page />, { at: '/before' });
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a group' }));
  const sent = () => api.sent.filter(({ operation }) => operation === 'createGroup');
  return { user, router, dialog, sent, name: dialog.getByLabelText('Name') };
}

it('asks before Escape, Cancel or the back button take away what was typed', async () => {
  const { user, router, dialog, name } = await open();
  await router.navigate('/after');
  await user.type(name, 'On call{Escape}');
  await user.click(await dialog.findByRole('button', { name: 'Keep editing' }));
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await user.click(await dialog.findByRole('button', { name: 'Keep editing' }));
  await router.navigate(-1);
  await user.click(await dialog.findByRole('button', { name: 'Keep editing' }));
  expect(router.state.location.pathname).toBe('/after');
  dialog.getByDisplayValue('On call');
  await user.keyboard('{Escape}');
  await user.click(await dialog.findByRole('button', { name: 'Discard' }));
  await screen.findByText('closed');
});

it('asks nothing where all is as it was', async () => {
  const { user, name } = await open();
  await user.type(name, 'x{Backspace}{Escape}');
  await screen.findByText('closed');
});

it('is sent by Enter from its last field only, and once by two clicks; what was typed stays when it is refused', async () => {
  const { user, dialog, sent, name } = await open();
  await user.type(name, 'On call{Enter}');
  expect(dialog.queryByRole('alert')).toBeNull();
  const add = dialog.getByRole('button', { name: 'Add' });
  add.click();
  add.click();
  await dialog.findByText('There is such a group.');
  expect(sent()).toHaveLength(1);
  dialog.getByDisplayValue('On call');
  await user.type(dialog.getByLabelText('Description'), 'Nights{Enter}');
  await waitFor(() => expect(sent()).toHaveLength(2));
});

function WithChart({ onSend }: { onSend: () => void }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Dialog title="Change a rule" opened={isOpen} onClose={() => setOpen(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        <input aria-label="Threshold" defaultValue="2" />
        <input type="range" aria-label="Cursor" defaultValue="0" />
        <button type="submit">Save</button>
      </form>
    </Dialog>
  );
}

it('takes the cursor of a chart in a form for no field of it', async () => {
  const onSend = vi.fn();
  const { user } = show(<WithChart onSend={onSend} />);
  await user.type(await screen.findByLabelText('Threshold'), '{Enter}');
  expect(onSend).toHaveBeenCalledTimes(1);
  fireEvent.change(screen.getByLabelText('Cursor'), { target: { value: '9' } });
  await user.keyboard('{Escape}');
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

it('says what a field left out', async () => {
  const { user, dialog, name } = await open();
  await user.click(name);
  await user.paste('x'.repeat(10_000));
  await dialog.findByText('Cut to 255 characters, the most that this field takes.');
  expect(name).toHaveProperty('value', 'x'.repeat(255));
  await user.clear(name);
  await user.paste('On call');
  expect(dialog.queryByText(/^Cut to/)).toBeNull();
});

function TwoForms({ isSent = false }: { isSent?: boolean }) {
  const first = usePageDraft(isSent);
  const second = usePageDraft(isSent);
  return (
    <>
      <Link to="/elsewhere">Elsewhere</Link>
      <Link to="?tab=other">Another tab</Link>
      {[first, second].map(({ events, guard }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are two of them
        <form key={index} {...events}>
          <input aria-label={`Field ${index + 1}`} />
          {guard}
        </form>
      ))}
      <button type="button" onClick={dropDrafts}>
        Delete
      </button>
    </>
  );
}

it('asks before a link to another page takes away what was typed into any form of this one', async () => {
  const { user, router } = show(<TwoForms />, { at: '/here', path: '/here' });
  const address = () => router.state.location.pathname + router.state.location.search;
  await user.type(await screen.findByLabelText('Field 1'), 'half');
  await user.click(screen.getByRole('link', { name: 'Another tab' }));
  expect(address()).toBe('/here?tab=other');
  // The other form is touched, and holds nothing.
  await user.type(screen.getByLabelText('Field 2'), 'x{Backspace}');
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
  await user.click(await screen.findByRole('button', { name: 'Keep editing' }));
  expect(address()).toBe('/here?tab=other');
  screen.getByDisplayValue('half');
  await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
  await user.click(await screen.findByRole('button', { name: 'Discard' }));
  await expect.poll(address).toBe('/elsewhere');
});

it.each(['Delete', undefined])(
  'asks nothing where all was sent, or what it is about is gone',
  async (deed) => {
    const { user, router } = show(<TwoForms isSent={deed === undefined} />, { at: '/here', path: '/here' });
    await user.type(await screen.findByLabelText('Field 1'), 'half');
    if (deed !== undefined) await user.click(screen.getByRole('button', { name: deed }));
    await user.click(screen.getByRole('link', { name: 'Elsewhere' }));
    await expect.poll(() => router.state.location.pathname).toBe('/elsewhere');
  },
);

it('asks before a name that is typed into a row, or a password of the account, is lost', async () => {
  await startApi({
    ...EVERYWHERE,
    getSecondFactor: { is_set_up: false, is_required: false, confirmed_at: null, recovery_codes_left: 0 },
    listOwnPasskeys: { passkeys: [], can_work: false },
  });
  const rows = show(<ClustersPage />, { at: '/clusters' });
  await rows.user.click(await screen.findByRole('button', { name: 'Change orders' }));
  await rows.user.click(await screen.findByRole('menuitem', { name: /^Rename/ }));
  await rows.user.type(await screen.findByRole('textbox', { name: /name/i }), ' two');
  await rows.router.navigate('/elsewhere');
  await rows.user.click(await screen.findByRole('button', { name: 'Keep editing' }));
  expect(rows.router.state.location.pathname).toBe('/clusters');
  rows.unmount();
  const { user, router } = show(<SecondFactor />, { at: '/account' });
  await user.type(await screen.findByLabelText('Your password'), 'staple');
  await router.navigate('/elsewhere');
  await screen.findByRole('alertdialog', { name: 'Discard your changes?' });
  expect(router.state.location.pathname).toBe('/account');
});
