// The filters of a list on a phone, as a sheet from below: the list behind it follows each choice.
import { Button, Drawer } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import classes from './filters.module.css';

export interface FilterSheetProps {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function FilterSheet({ opened, onClose, children }: FilterSheetProps) {
  // Mantine gives the focus back only from what opens after it was there.
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return (
    <Drawer.Root
      opened={opened && isThere}
      onClose={onClose}
      position="bottom"
      classNames={{ content: classes.content }}
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content aria-label="Filters">
        <div className={classes.sheet}>
          {children}
          <Button onClick={onClose}>Show the list</Button>
        </div>
      </Drawer.Content>
    </Drawer.Root>
  );
}
