// Opens the chat beside the page: Ctrl+J (⌘J) from anywhere, or the button in the top bar. Its code is fetched when it is
// opened first; closing brings the cursor back to the button.
import { ActionIcon } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { AiIcon } from '../ui/icons.ts';

const ChatPanel = lazy(async () => ({
  default: (await import('../features/chat/chat-panel.tsx')).ChatPanel,
}));

export function ChatOpener() {
  const [opened, setOpened] = useState(false);
  const [isNeeded, setNeeded] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const turn = (open: boolean) => {
    if (open) setNeeded(true);
    setOpened(open);
    if (!open) button.current?.focus();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'j' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setNeeded(true);
      setOpened(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <ActionIcon
        ref={button}
        variant="subtle"
        aria-label="Chat"
        aria-expanded={opened}
        title="Chat (Ctrl J)"
        onClick={() => turn(!opened)}
      >
        <AiIcon size={18} />
      </ActionIcon>
      {isNeeded
        ? createPortal(
            <Suspense fallback={null}>
              <ChatPanel opened={opened} onClose={() => turn(false)} />
            </Suspense>,
            document.body,
          )
        : null}
    </>
  );
}
