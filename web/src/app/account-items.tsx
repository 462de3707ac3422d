// What the menu of the account offers.
import { Menu } from '@mantine/core';
import { Link } from 'react-router';
import { useSignOut } from '../features/identity/auth/use-sign-out.ts';
import { AccountIcon, SignOutIcon } from '../ui/icons.ts';
import { ThemeItems } from './theme-items.tsx';

export function AccountItems() {
  const signOut = useSignOut();
  return (
    <>
      <Menu.Item component={Link} to="/account" leftSection={<AccountIcon size={16} />}>
        Account and password
      </Menu.Item>
      <Menu.Divider />
      <ThemeItems />
      <Menu.Divider />
      <Menu.Item leftSection={<SignOutIcon size={16} />} onClick={() => signOut.mutate({})}>
        Sign out
      </Menu.Item>
    </>
  );
}
