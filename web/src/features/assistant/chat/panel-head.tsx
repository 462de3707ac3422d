// What the panel shows, and the ways to its other parts.
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { AddIcon, AuditIcon, CloseIcon, PinIcon } from '../../../ui/icons.ts';
import classes from './chat.module.css';

export type Shown = 'talk' | 'conversations' | 'memories';

const TITLES: Record<Shown, string> = { talk: 'Chat', conversations: 'Conversations', memories: 'Memories' };

export interface PanelHeadProps {
  shown: Shown;
  show: (part: Shown) => void;
  onNew: () => void;
  onClose: () => void;
}

export function PanelHead({ shown, show, onNew, onClose }: PanelHeadProps) {
  const part = (name: Shown, icon: ReactNode) => (
    <ActionIcon
      variant="subtle"
      aria-label={TITLES[name]}
      title={shown === name ? 'Back to the chat' : TITLES[name]}
      aria-pressed={shown === name}
      onClick={() => show(shown === name ? 'talk' : name)}
    >
      {icon}
    </ActionIcon>
  );
  return (
    <header className={classes.head}>
      <h2>{TITLES[shown]}</h2>
      <ActionIcon variant="subtle" aria-label="New conversation" title="New conversation" onClick={onNew}>
        <AddIcon size={18} />
      </ActionIcon>
      {part('conversations', <AuditIcon size={18} />)}
      {part('memories', <PinIcon size={18} />)}
      <ActionIcon variant="subtle" aria-label="Close the chat" title="Close (Esc)" onClick={onClose}>
        <CloseIcon size={18} />
      </ActionIcon>
    </header>
  );
}
