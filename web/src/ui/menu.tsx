// A menu at its button, opened. Its code is fetched when it is needed (late-menu.tsx).
import { Menu } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export interface OpenedMenuProps {
  opened: boolean;
  onChange: (opened: boolean) => void;
  width: number;
  button: ReactElement;
  children: ReactNode;
}

export const OpenedMenu = ({ opened, onChange, width, button, children }: OpenedMenuProps) => (
  <Menu
    opened={opened}
    onChange={onChange}
    position="bottom-end"
    width={width}
    shadow="md"
    withinPortal={false}
    returnFocus={false}
    withInitialFocusPlaceholder={false}
  >
    <Menu.Target>{button}</Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
