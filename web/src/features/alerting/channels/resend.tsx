// Sending a notification again by hand, or at once where it waits. What the server says against it stands under the button.
import { Button } from '@mantine/core';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { FormError } from '../../../ui/form-error.tsx';
import type { Delivery } from './channel-words.ts';

const WORDS: Record<Exclude<Delivery['state'], 'sending'>, string> = {
  queued: 'Try now',
  sent: 'Send again',
  dead: 'Send again',
  skipped: 'Send',
};

export interface ResendProps {
  delivery: Pick<Delivery, 'id' | 'state' | 'title' | 'channel_name'>;
  /** Says in words by which channel it goes, where there are several. */
  namesChannel?: boolean;
}

/** Nothing while it is being sent. */
export function Resend({ delivery, namesChannel = false }: ResendProps) {
  const { id, state, title, channel_name } = delivery;
  const resend = useOperationMutation('resendNotification');
  if (state === 'sending') return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${WORDS[state]}: ${title}${namesChannel ? `, by ${channel_name}` : ''}`}
        loading={resend.isPending}
        onClick={() => resend.mutate({ params: { id } })}
      >
        {WORDS[state]}
      </Button>
      <FormError error={resend.error} />
    </>
  );
}
