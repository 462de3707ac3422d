// The conversation itself: it stays at its end while an answer is written, unless the reader has scrolled back.
import { useEffect, useRef } from 'react';
import { ErrorState, Loading } from '../../../ui/states.tsx';
import classes from './chat.module.css';
import type { Turn } from './chat-state.ts';
import { ChatTurn } from './chat-turn.tsx';
import type { Scope } from './page-scope.ts';
import { Questions } from './questions.tsx';
import type { TalkView } from './talk.ts';

const NEAR_PX = 80;

export interface TurnsProps {
  view: TalkView;
  scope: Scope;
  ask: (message: string) => void;
  askAgain: (message: string, edited: Turn) => Promise<void>;
  remember: (text: string) => void;
  onRetry: () => void;
}

const stateOf = ({ isRunning, turns }: TalkView) =>
  isRunning ? 'The answer is being written.' : turns.length > 0 ? 'The answer is there.' : '';

export function Turns({ view, scope, ask, askAgain, remember, onRetry }: TurnsProps) {
  const { turns, pending, isRunning, isLoading, error } = view;
  const place = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = place.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more to read
  useEffect(() => {
    const { current } = place;
    if (current && (isAtEnd.current || pending !== undefined)) current.scrollTop = current.scrollHeight;
  }, [turns, pending]);
  return (
    <section ref={place} className={classes.turns} aria-label="Conversation" onScroll={onScroll}>
      {isLoading ? <Loading what="the conversation" /> : null}
      {error ? <ErrorState error={error} what="the conversation" onRetry={onRetry} /> : null}
      {turns.length === 0 && pending === undefined && !isLoading && !error ? (
        <Questions ask={ask} scope={scope} />
      ) : null}
      {turns.map((turn) => (
        <ChatTurn
          key={turn.index}
          turn={turn}
          remember={remember}
          askAgain={isRunning ? undefined : (message) => askAgain(message, turn)}
        />
      ))}
      {pending === undefined ? null : <h3 className={classes.asked}>{pending}</h3>}
      <p role="status" className="visually-hidden">
        {stateOf(view)}
      </p>
    </section>
  );
}
