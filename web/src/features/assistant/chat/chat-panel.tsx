// The chat, docked beside the page: bound to what the page shows. Closing it keeps the conversation.
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { ApiError } from '../../../api/client.ts';
import type { AboutQuestion } from '../../../ui/ask-about.ts';
import { useUnloadQuestion } from '../../../ui/draft.tsx';
import classes from './chat.module.css';
import type { Turn } from './chat-state.ts';
import { Composer } from './composer.tsx';
import { Conversations } from './conversations.tsx';
import { Memories } from './memories.tsx';
import { useAsking } from './page-scope.ts';
import { PanelHead, type Shown } from './panel-head.tsx';
import { ScopeLine } from './scope-line.tsx';
import { Turns } from './turns.tsx';
import { useChat } from './use-chat.ts';

export interface ChatPanelProps {
  opened: boolean;
  onClose: () => void;
  /** Grows whenever somebody opens it: the cursor goes to the question then, not when a page is loaded again. */
  summons?: number;
  /** Asked once. */
  wanted?: AboutQuestion | undefined;
}

/** What is typed, and what was said against it. */
function useDraft() {
  const chat = useChat();
  const { talk } = chat;
  const asking = useAsking();
  const question = (text: string, of?: AboutQuestion) => ({
    message: text.trim(),
    ...asking.context(),
    ...(of && { about: of.about, ...(of.scope && { scope: of.scope }) }),
  });
  const [message, setMessage] = useState('');
  const [about, setAbout] = useState<AboutQuestion>();
  const [error, setError] = useState<ApiError>();
  const ask = async (text: string, of?: AboutQuestion) => {
    setError(undefined);
    try {
      await talk.ask(question(text, of));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
      setMessage((typed) => (typed === '' ? text : typed));
      setAbout(of);
    }
  };
  const send = () => {
    if (talk.view().isRunning || message.trim() === '') return;
    setMessage('');
    setAbout(undefined);
    void ask(message, about);
  };
  const askAgain = (text: string, edited: Turn) => talk.ask(question(text), edited);
  const clear = () => setError(undefined);
  return {
    ...chat,
    asking,
    about,
    leaveOut: () => setAbout(undefined),
    message,
    setMessage,
    ask,
    send,
    askAgain,
    error,
    clear,
  };
}

export function ChatPanel({ opened, onClose, summons = 0, wanted }: ChatPanelProps) {
  const draft = useDraft();
  const { talk, view } = draft;
  const [shown, show] = useState<Shown>('talk');
  const [memory, setMemory] = useState('');
  useUnloadQuestion(() => memory.trim() !== '' || draft.message.trim() !== '');
  const field = useRef<HTMLTextAreaElement>(null);
  const lastWanted = useRef<AboutQuestion>(undefined);
  /** Where the cursor goes when what it stood on is gone. */
  const toField = () => field.current?.focus();
  const begin = () => {
    talk.restart();
    draft.clear();
    show('talk');
    toField();
  };
  const askWanted = useEffectEvent((question: AboutQuestion) => {
    if (lastWanted.current === question) return;
    lastWanted.current = question;
    const { isRunning, isLoading } = talk.view();
    if (isRunning || isLoading) talk.restart();
    show('talk');
    void draft.ask(question.message, question);
  });
  useEffect(() => {
    if (wanted) askWanted(wanted);
  }, [wanted]);
  useEffect(() => {
    if (summons > 0) field.current?.focus();
  }, [summons]);
  const open = (id: string) => {
    draft.clear();
    show('talk');
    void talk.open(id);
    toField();
  };
  if (!opened) return null;
  return (
    <aside
      className={classes.panel}
      data-chat
      aria-label="Chat"
      onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && onClose()}
    >
      <PanelHead shown={shown} show={show} onNew={begin} onClose={onClose} />
      {shown === 'talk' ? (
        <Turns
          view={view}
          scope={draft.asking.of.scope}
          ask={(text) => void draft.ask(text)}
          askAgain={async (text, edited) => {
            await draft.askAgain(text, edited);
            toField();
          }}
          remember={(text) => {
            setMemory(text);
            show('memories');
          }}
          onRetry={() => view.id !== undefined && void talk.open(view.id)}
        />
      ) : null}
      {shown === 'conversations' ? (
        <Conversations
          current={view.id}
          onOpen={open}
          onDeleted={(id) => {
            if (id === view.id) talk.restart();
            toField();
          }}
        />
      ) : null}
      {shown === 'memories' ? <Memories draft={memory} onDraft={setMemory} onDeleted={toField} /> : null}
      <Composer
        field={field}
        message={draft.message}
        onChange={draft.setMessage}
        onSend={() => {
          show('talk');
          draft.send();
        }}
        onStop={() => talk.stop()}
        isRunning={view.isRunning}
        error={draft.error}
      >
        <ScopeLine asking={draft.asking} about={draft.about} leaveOut={draft.leaveOut} />
      </Composer>
    </aside>
  );
}
