// The second factor that a group requires: sent as the box says, and shown as the group has it.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { GroupDialog } from './group-dialog.tsx';

const group = {
  id: 3,
  name: 'dba',
  created_at: '2026-11-20T10:00:00.000Z',
  requires_second_factor: true,
};
const detail = {
  ...group,
  user_members: [],
  group_members: [],
  mcp_privileges: [],
  connection_privileges: [],
  admin_permissions: [],
  scope_privileges: [],
};

it('sends whether the group requires a second factor', async () => {
  const api = await startApi({ updateGroup: group });
  const { user } = show(<GroupDialog opened group={detail} onClose={() => undefined} />);
  const box = await screen.findByRole('checkbox', { name: 'Require a second factor' });
  expect(box).toHaveProperty('checked', true);
  await user.click(box);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await expect
    .poll(() => api.sent.find(({ operation }) => operation === 'updateGroup')?.body)
    .toEqual({ name: 'dba', description: '', requires_second_factor: false });
});
