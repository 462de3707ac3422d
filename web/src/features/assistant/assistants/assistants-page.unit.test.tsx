// The page for assistants: a token is limited before it is shown, and revoked where its limits are refused.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, Refusal, startApi } from '../../../testing/api.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { AssistantsPage } from './assistants-page.tsx';

const tool = (name: string, reach?: 'stored' | 'server' | 'beyond') => ({
  name,
  description: 'Says.',
  inputSchema: { type: 'object', properties: {} },
  ...(reach && { reach }),
});
const ANSWERS: Answers = {
  getUserInfo: ADMIN,
  getSignInOptions: { local_sign_in: 'always', providers: [{ id: 'oidc', label: 'Example account' }] },
  // By their names alone nothing could be told of the last two, and of the last nothing is said at all.
  listMcpTools: {
    tools: [
      tool('get_load', 'stored'),
      tool('query_database', 'server'),
      tool('get_more', 'beyond'),
      tool('get_most'),
    ],
  },
  createToken: {
    ...{ token: 'mat_made', id: 5, owner: 'anna', annotation: 'assistant', expires_at: null },
    message: 'Copy it.',
  },
  setTokenScope: undefined,
  deleteToken: undefined,
};
const CREATE = 'Create a read-only token';

it('makes a token that only reads what was collected, and fills it into the snippets', async () => {
  const api = await startApi(ANSWERS);
  const { user } = show(<AssistantsPage />);
  await screen.findByText('get_load');
  await user.click(await screen.findByRole('button', { name: CREATE }));
  const client = within(await screen.findByRole('region', { name: 'Client' }));
  expect((await client.findAllByText(/Bearer mat_made/)).length).toBe(4);
  const scope = api.sent.find(({ operation }) => operation === 'setTokenScope');
  expect(scope?.body).toEqual({
    connections: [{ connection_id: 0, access_level: 'read' }],
    mcp_privileges: ['get_load'],
    admin_permissions: [],
  });
});

it('says that clients can sign in with a provider, where that is on', async () => {
  const api = await startApi(ANSWERS);
  const { unmount } = show(<AssistantsPage />);
  await screen.findByText('get_load');
  expect(screen.queryByText(/supports OAuth/)).toBeNull();
  unmount();
  const providers = [
    { id: 'oidc' as const, label: 'Example account', opens_mcp: true },
    { id: 'oidc_2' as const, label: 'Partners' },
  ];
  api.answer({ getSignInOptions: { local_sign_in: 'always', providers } });
  show(<AssistantsPage />);
  expect((await screen.findByText(/supports OAuth/)).textContent).toContain(
    'sign in with Example account, and acts',
  );
});

it('adds statements on servers only where they are asked for', async () => {
  const api = await startApi(ANSWERS);
  const { user } = show(<AssistantsPage />);
  await screen.findByText('get_load');
  await user.click(await screen.findByRole('checkbox', { name: /May also read/ }));
  await user.click(screen.getByRole('button', { name: CREATE }));
  await screen.findByText(/Copy it now/);
  const scope = api.sent.find(({ operation }) => operation === 'setTokenScope');
  expect(scope?.body).toMatchObject({ mcp_privileges: ['get_load', 'query_database'] });
});

it('revokes the token when its limits are refused', async () => {
  const api = await startApi({ ...ANSWERS, setTokenScope: new Refusal(403, 'Not that much.') });
  const { user } = show(<AssistantsPage />);
  await screen.findByText('get_load');
  await user.click(await screen.findByRole('button', { name: CREATE }));
  await screen.findByText('Not that much.');
  expect(api.sent.at(-1)).toMatchObject({ operation: 'deleteToken', path: '/api/v1/rbac/tokens/5' });
  expect(screen.queryByText('mat_made')).toBeNull();
});
