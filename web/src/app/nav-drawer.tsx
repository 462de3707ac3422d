// The navigation on narrow screens, as a drawer.
import { ActionIcon, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { CloseIcon } from '../ui/icons.ts';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';

export interface NavDrawerProps {
  opened: boolean;
  onClose: () => void;
  brand: ReactNode;
}

export function NavDrawer({ opened, onClose, brand }: NavDrawerProps) {
  // Mantine gives the focus back only from what opens after it was there.
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return (
    <Drawer.Root opened={opened && isThere} onClose={onClose} size={284} lockScroll={false}>
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
}
