// A question and its answer: steps that unfold, text whose figures lead to where they come from, statements with why they
// may or may not be run.
import { ActionIcon, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { countOf, formatMilliseconds } from '../../../lib/format.ts';
import { EditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { AnswerText } from './answer-text.tsx';
import classes from './chat.module.css';
import type { Step, Turn } from './chat-state.ts';
import { EditQuestion } from './edit-question.tsx';
import { ownPath } from './own-path.ts';
import { useReturnFocus } from './use-return-focus.ts';

const STATES = { started: 'running', done: 'done', failed: 'failed' } as const;

function OneStep({ step }: { step: Step }) {
  const path = ownPath(step.link);
  const facts = [
    step.took_ms === null ? STATES[step.state] : formatMilliseconds(step.took_ms),
    ...(step.rows === null ? [] : [countOf(step.rows, 'row')]),
    ...(step.state === 'failed' ? ['failed'] : []),
  ];
  return (
    <details className={classes.step}>
      <summary>
        <code>{step.tool}</code> <span className={layout.remark}>{facts.join(' · ')}</span>
      </summary>
      <pre className={classes.arguments}>{JSON.stringify(step.arguments, undefined, 2)}</pre>
      {step.summary ? <p>{step.summary}</p> : null}
      {step.source ? <p className={layout.remark}>{step.source}</p> : null}
      {path ? (
        <Link className="link" to={path}>
          Show the same page
        </Link>
      ) : null}
    </details>
  );
}

export interface ChatTurnProps {
  turn: Turn;
  /** Asks it anew in other words; undefined while that cannot be. */
  askAgain: ((message: string) => Promise<void>) | undefined;
  /** Makes a memory of its answer. */
  remember: (text: string) => void;
}

function Asked({ turn, askAgain }: Omit<ChatTurnProps, 'remember'>) {
  const [isEdited, setEdited] = useState(false);
  const place = useReturnFocus(isEdited);
  if (isEdited)
    return <EditQuestion asked={turn.asked} askAgain={askAgain} onClose={() => setEdited(false)} />;
  return (
    <div className={classes.question}>
      <h3 className={classes.asked}>{turn.asked}</h3>
      {askAgain ? (
        <ActionIcon
          ref={place}
          variant="subtle"
          aria-label="Edit the question"
          title="Edit the question"
          onClick={() => setEdited(true)}
        >
          <EditIcon size={15} />
        </ActionIcon>
      ) : null}
    </div>
  );
}

export function ChatTurn({ turn, askAgain, remember }: ChatTurnProps) {
  return (
    <article className={classes.turn}>
      {turn.asked === '' ? null : <Asked turn={turn} askAgain={askAgain} />}
      {turn.steps.map((step) => (
        <OneStep key={step.number} step={step} />
      ))}
      <AnswerText
        text={turn.text}
        figures={turn.figures}
        statements={turn.statements}
        isRunning={turn.isRunning}
      />
      {turn.isRunning && turn.text === '' ? <p className={layout.remark}>Working on it …</p> : null}
      {turn.isModel ? null : <p className={layout.remark}>Answered by rules, without a model.</p>}
      {turn.error ? (
        <Notice tone="bad" role="alert">
          {turn.error}
        </Notice>
      ) : null}
      {turn.isRunning || turn.text === '' ? null : (
        <div className={classes.buttons}>
          <Button size="compact-xs" variant="subtle" onClick={() => remember(turn.text)}>
            Remember this
          </Button>
        </div>
      )}
    </article>
  );
}
