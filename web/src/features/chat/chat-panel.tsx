// The chat, docked beside the page: bound to what the page shows. Closing it keeps the conversation.
import { ActionIcon, Button, Textarea } from '@mantine/core';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useOperation } from '../../api/use-operation.ts';
import { readTime } from '../../lib/time-window.ts';
import type { AboutQuestion } from '../../ui/ask-about.ts';
import { CloseIcon } from '../../ui/icons.ts';
import { Query } from '../../ui/query.tsx';
import classes from './chat.module.css';
import { scopeOf } from './chat-state.ts';
import { ChatTurn } from './chat-turn.tsx';
import { useChat } from './use-chat.ts';

interface QuestionsProps {
  ask: (message: string) => void;
  path: string;
}

function Questions({ ask, path }: QuestionsProps) {
  const { kind, id } = scopeOf(path);
  const query = { scope_kind: kind, ...(id === undefined ? {} : { scope_id: id }) };
  const questions = useOperation('listChatQuestions', { query }, { staleMs: 60_000 });
  return (
    <Query query={questions} what="the questions" lines={3}>
      {(result) => (
        <>
          {result.is_model ? null : (
            <p className={classes.remark}>No model is configured; these questions are answered by rules.</p>
          )}
          <div className={classes.questions}>
            {result.questions.map(({ question, asked }) => (
              <Button key={question} variant="default" size="xs" onClick={() => ask(asked)}>
                {asked}
              </Button>
            ))}
          </div>
        </>
      )}
    </Query>
  );
}

export interface ChatPanelProps {
  opened: boolean;
  onClose: () => void;
  /** Asked once. */
  wanted?: AboutQuestion | undefined;
}

export function ChatPanel({ opened, onClose, wanted }: ChatPanelProps) {
  const chat = useChat();
  const [message, setMessage] = useState('');
  const { pathname, search } = useLocation();
  const ask = (text: string, about?: AboutQuestion['about']) => {
    if (text.trim() === '') return;
    const { fixed } = readTime(new URLSearchParams(search));
    const iso = (at: number) => new Date(at).toISOString();
    chat.ask({
      message: text.trim(),
      scope: scopeOf(pathname),
      page: `${pathname}${search}`.slice(0, 500),
      ...(fixed && { time: { start: iso(fixed.from), end: iso(fixed.to) } }),
      ...(about && { about }),
    });
  };
  const send = () => {
    if (chat.isRunning) return;
    ask(message);
    setMessage('');
  };
  const lastWanted = useRef<AboutQuestion>(undefined);
  const askWanted = useEffectEvent((question: AboutQuestion) => {
    if (lastWanted.current === question) return;
    lastWanted.current = question;
    if (chat.isRunning) chat.restart();
    ask(question.message, question.about);
  });
  useEffect(() => {
    if (wanted) askWanted(wanted);
  }, [wanted]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  if (!opened) return null;
  return (
    <aside className={classes.panel} aria-label="Chat">
      <header className={classes.head}>
        <h2>Ask about {scopeOf(pathname).kind === 'server' ? 'this server' : 'the estate'}</h2>
        <Button variant="subtle" size="compact-sm" disabled={chat.isRunning} onClick={chat.restart}>
          New
        </Button>
        <ActionIcon variant="subtle" aria-label="Close the chat" onClick={onClose}>
          <CloseIcon size={18} />
        </ActionIcon>
      </header>
      <section className={classes.turns} aria-label="Conversation">
        {chat.turns.length === 0 ? <Questions ask={ask} path={pathname} /> : null}
        {chat.turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added at the end
          <ChatTurn key={index} turn={turn} />
        ))}
      </section>
      <div className={classes.foot}>
        <Textarea
          aria-label="Question"
          placeholder="Enter sends, Shift+Enter begins a line"
          autosize={false}
          rows={3}
          maxLength={20_000}
          autoFocus
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={onKey}
        />
        {chat.isRunning ? (
          <Button variant="default" onClick={chat.stop}>
            Stop
          </Button>
        ) : (
          <Button disabled={message.trim() === ''} onClick={send}>
            Ask
          </Button>
        )}
      </div>
    </aside>
  );
}
