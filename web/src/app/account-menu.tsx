// The account in the corner: who one is, theme and density at hand, the account page, the way out.
import { UnstyledButton } from '@mantine/core';
import { lazy } from 'react';
import type { UserInfo } from '../api/types.ts';
import { AccountIcon } from '../ui/icons.ts';
import { LateMenu } from '../ui/late-menu.tsx';
import classes from './account-menu.module.css';

const AccountItems = lazy(async () => ({ default: (await import('./account-items.tsx')).AccountItems }));

export const AccountMenu = ({ user }: { user: UserInfo }) => (
  <LateMenu
    width={220}
    button={(props) => (
      <UnstyledButton
        {...props}
        className={classes.button}
        aria-label={`Account of ${user.username ?? 'you'}`}
      >
        <AccountIcon size={20} aria-hidden="true" />
        <span className={classes.name}>{user.username}</span>
      </UnstyledButton>
    )}
  >
    <AccountItems />
  </LateMenu>
);
