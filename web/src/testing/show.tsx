// Puts a page on the screen of a test, inside all that surrounds pages, at an address; who is signed in is what the
// server of the test says.
import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import type { UserInfo } from '../api/types.ts';
import { makeQueryClient } from '../api/use-operation.ts';
import { Providers } from '../app/providers.tsx';

/** Somebody who may do everything. */
export const ADMIN: UserInfo = {
  authenticated: true,
  username: 'anna',
  is_superuser: true,
  has_password: true,
  admin_permissions: ['*'],
};

export function show(page: ReactNode, options: { at?: string; path?: string } = {}) {
  const { at = '/', path = '*' } = options;
  const router = createMemoryRouter(
    [
      { path, element: page },
      { path: '*', element: null },
    ],
    {
      initialEntries: [at],
    },
  );
  const client = makeQueryClient();
  const shown = render(
    <Providers client={client}>
      <RouterProvider router={router} useTransitions={false} />
    </Providers>,
  );
  return { ...shown, user: userEvent.setup({ delay: null }), router, client };
}
