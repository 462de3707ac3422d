// The account in the corner: who one is, theme and density at hand, the account page, the way out.
import { Menu, UnstyledButton } from '@mantine/core';
import { Link } from 'react-router';
import type { UserInfo } from '../api/types.ts';
import { useSignOut } from '../features/auth/use-sign-out.ts';
import { AccountIcon, SignOutIcon } from '../ui/icons.ts';
import classes from './account-menu.module.css';
import { ThemeItems } from './theme-items.tsx';

export function AccountMenu({ user }: { user: UserInfo }) {
  const signOut = useSignOut();
  return (
    <Menu
      position="bottom-end"
      width={220}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Account of ${user.username ?? 'you'}`}>
          <AccountIcon size={20} aria-hidden="true" />
          <span className={classes.name}>{user.username}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/account" leftSection={<AccountIcon size={16} />}>
          Account and password
        </Menu.Item>
        <Menu.Divider />
        <ThemeItems />
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => signOut.mutate({})}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
