// The menu of a row: everything that dragging does, and more, by keyboard too. It is built when it is first opened, so
// that a thousand rows stay light.
import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { MoreIcon } from '../../ui/icons.ts';

export interface RowAction {
  title: string;
  icon?: ReactNode;
  isDangerous?: boolean;
  run: () => void;
}

export function RowMenu({ name, actions }: { name: string; actions: () => readonly RowAction[] }) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  const button = (
    <ActionIcon
      variant="subtle"
      size={28}
      aria-label={`Change ${name}`}
      aria-haspopup="menu"
      onClick={() => setState(state === 'open' ? 'closed' : 'open')}
    >
      <MoreIcon size={16} />
    </ActionIcon>
  );
  if (state === 'never') return button;
  return (
    <Menu
      opened={state === 'open'}
      onChange={(open) => setState(open ? 'open' : 'closed')}
      position="bottom-end"
      shadow="md"
      width={230}
      returnFocus={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions().map(({ title, icon, isDangerous, run }) => (
          <Menu.Item key={title} leftSection={icon} data-dangerous={isDangerous || undefined} onClick={run}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
