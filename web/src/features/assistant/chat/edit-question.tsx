// A question of before in other words, in its place. Guards: what was refused stays in the field.
import { Button, Textarea } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { ApiError } from '../../../api/client.ts';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import classes from './chat.module.css';

export const MOST_CHARACTERS = 20_000;

export interface EditQuestionProps {
  asked: string;
  /** Undefined while an answer is being written. */
  askAgain: ((message: string) => Promise<void>) | undefined;
  onClose: () => void;
}

export function EditQuestion({ asked, askAgain, onClose }: EditQuestionProps) {
  const [message, setMessage] = useState(asked);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ApiError>();
  const canSend = askAgain !== undefined && !isSending && message.trim() !== '';
  const send = async () => {
    if (!canSend) return;
    setSending(true);
    setError(undefined);
    try {
      await askAgain(message.trim());
      onClose();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause);
    } finally {
      setSending(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      // The panel stays.
      event.stopPropagation();
      onClose();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className={classes.turn}>
      <Textarea
        aria-label="Question in other words"
        description="What was said after it goes away."
        rows={3}
        maxLength={MOST_CHARACTERS}
        data-autofocus
        autoFocus
        {...typed(message, setMessage)}
        onKeyDown={onKey}
      />
      <FormError error={error} />
      <div className={classes.buttons}>
        <Button size="compact-sm" loading={isSending} disabled={!canSend} onClick={send}>
          Ask again
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
