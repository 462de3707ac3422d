// The menu of a row: everything that dragging does, and more, by keyboard too. It is built when it is first opened, so
// that a thousand rows stay light. The focus goes back to its button, from the menu and from whatever an entry opens.
import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { MoreIcon } from '../../../ui/icons.ts';

export interface RowAction {
  title: string;
  icon?: ReactNode;
  isDangerous?: boolean;
  run: () => void;
}

export interface RowMenuProps {
  /** Stays the same wherever the row is moved to. */
  id: string;
  name: string;
  actions: () => readonly RowAction[];
}

/** The row whose menu was used last: when what was chosen moves the row, its button is made anew elsewhere. */
let lastUsed: string | undefined;

/** Gives the focus back to the row that was changed, when it would be nowhere. */
export function focusLastUsed(): void {
  if (lastUsed === undefined || document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>(`[data-row-menu="${CSS.escape(lastUsed)}"]`)?.focus();
}

export function RowMenu({ id, name, actions }: RowMenuProps) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setState('closed');
    opener.current?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (id === lastUsed) focusLastUsed();
  }, [id]);
  const button = (
    <ActionIcon
      ref={opener}
      data-row-menu={id}
      variant="subtle"
      size={28}
      aria-label={`Change ${name}`}
      aria-haspopup="menu"
      onClick={() => setState(state === 'open' ? 'closed' : 'open')}
      onKeyDown={({ key }) => {
        // The menu itself hears Escape only once it has the focus, which is a moment after it is seen.
        if (key === 'Escape' && state === 'open') close();
      }}
    >
      <MoreIcon size={16} />
    </ActionIcon>
  );
  if (state === 'never') return button;
  return (
    <Menu
      opened={state === 'open'}
      onChange={(open) => (open ? setState('open') : close())}
      position="bottom-end"
      shadow="md"
      width={230}
      returnFocus={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {actions().map(({ title, icon, isDangerous, run }) => (
          <Menu.Item
            key={title}
            leftSection={icon}
            data-dangerous={isDangerous || undefined}
            closeMenuOnClick={false}
            onClick={() => {
              // In this order: a dialog or a field gives the focus back to what had it when it opened.
              close();
              lastUsed = id;
              run();
            }}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
