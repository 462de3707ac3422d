// The navigation on narrow screens, as a drawer.
import { ActionIcon, Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { CloseIcon } from '../ui/icons.ts';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

export interface NavDrawerProps {
  opened: boolean;
  onClose: () => void;
  brand: ReactNode;
}

export const NavDrawer = ({ opened, onClose, brand }: NavDrawerProps) => (
  <Drawer.Root opened={opened} onClose={onClose} size={284} lockScroll={false}>
    <Drawer.Overlay backgroundOpacity={0.45} />
    <Drawer.Content aria-label="Navigation" className={classes.drawer}>
      <Navigation
        brand={brand}
        action={
          <ActionIcon variant="subtle" aria-label="Close the navigation" onClick={onClose}>
            <CloseIcon size={18} />
          </ActionIcon>
        }
      />
    </Drawer.Content>
  </Drawer.Root>
);
