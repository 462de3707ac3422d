// Where the chat is: beside every page, opened by Ctrl+J (⌘J) from anywhere, by the button in the top bar, or by whatever
// asks about itself. Its code is fetched when it is opened first; closing brings the cursor back to where it was. Guards:
// who sees no server has nothing to ask about, and finds neither button nor key.
import { ActionIcon } from '@mantine/core';
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useEstate } from '../features/estate/estate/use-estate.ts';
import { readTab, writeTab } from '../lib/tab-memory.ts';
import { type AboutQuestion, AskAboutContext } from '../ui/ask-about.ts';
import { AiIcon } from '../ui/icons.ts';

const ChatPanel = lazy(async () => ({
  default: (await import('../features/assistant/chat/chat-panel.tsx')).ChatPanel,
}));

interface OpenedFrom {
  opened: boolean;
  open: () => void;
  close: () => void;
}

const PlaceContext = createContext<OpenedFrom | undefined>(undefined);

function useKey(toggle: (() => void) | undefined) {
  useEffect(() => {
    if (!toggle) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'j' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      toggle();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [toggle]);
}

export function ChatPlace({ children }: { children: ReactNode }) {
  const mayChat = (useEstate().data?.servers.length ?? 0) > 0;
  const [opened, setOpened] = useState(() => readTab('chat-opened') !== null);
  const [isNeeded, setNeeded] = useState(opened);
  const [summons, setSummons] = useState(0);
  const [wanted, setWanted] = useState<AboutQuestion>();
  const before = useRef<Element>(null);
  const { open, close, askAbout } = useMemo(() => {
    const open = () => {
      // From within the chat it is the same place as before: what stands in the chat goes away with it.
      const from = document.activeElement;
      if (!from?.closest('[data-chat]')) before.current = from;
      setNeeded(true);
      setOpened(true);
      setSummons((count) => count + 1);
      writeTab('chat-opened', 'yes');
    };
    const close = () => {
      setOpened(false);
      writeTab('chat-opened', undefined);
      const last = before.current;
      const button = document.querySelector('[data-chat-button]');
      const next = last !== document.body && last?.isConnected ? last : button;
      if (next instanceof HTMLElement) next.focus();
    };
    // A copy, so that the same question can be asked twice.
    const askAbout = (question: AboutQuestion) => {
      setWanted({ ...question });
      open();
    };
    return { open, close, askAbout };
  }, []);
  useKey(mayChat ? open : undefined);
  const place = useMemo(
    () => (mayChat ? { opened, open, close } : undefined),
    [mayChat, opened, open, close],
  );
  return (
    <PlaceContext value={place}>
      <AskAboutContext value={mayChat ? askAbout : undefined}>
        {children}
        {isNeeded && mayChat ? (
          <Suspense fallback={null}>
            <ChatPanel opened={opened} onClose={close} summons={summons} wanted={wanted} />
          </Suspense>
        ) : null}
      </AskAboutContext>
    </PlaceContext>
  );
}

export function ChatButton() {
  const place = use(PlaceContext);
  if (!place) return null;
  return (
    <ActionIcon
      data-chat-button
      variant="subtle"
      aria-label="Chat"
      aria-expanded={place.opened}
      title="Chat (Ctrl J)"
      onClick={place.opened ? place.close : place.open}
    >
      <AiIcon size={18} />
    </ActionIcon>
  );
}
