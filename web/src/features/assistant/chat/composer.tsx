// Where questions are typed. Guards: a question that was refused is in the field again, with the reason beside it.
import { Button, Textarea } from '@mantine/core';
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import type { ApiError } from '../../../api/client.ts';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import classes from './chat.module.css';
import { MOST_CHARACTERS } from './edit-question.tsx';

export interface ComposerProps {
  field: Ref<HTMLTextAreaElement>;
  message: string;
  onChange: (message: string) => void;
  onSend: () => void;
  onStop: () => void;
  isRunning: boolean;
  error: ApiError | undefined;
  /** What it asks about. */
  children?: ReactNode;
}

export function Composer({ field, message, onChange, onSend, error, ...props }: ComposerProps) {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div className={classes.foot}>
      <FormError error={error} />
      {props.children}
      <Textarea
        ref={field}
        aria-label="Question"
        placeholder="Enter sends, Shift+Enter begins a line"
        autosize={false}
        rows={3}
        maxLength={MOST_CHARACTERS}
        {...typed(message, onChange)}
        onKeyDown={onKey}
      />
      {props.isRunning ? (
        <Button variant="default" onClick={props.onStop}>
          Stop
        </Button>
      ) : (
        <Button disabled={message.trim() === ''} onClick={onSend}>
          Ask
        </Button>
      )}
    </div>
  );
}
