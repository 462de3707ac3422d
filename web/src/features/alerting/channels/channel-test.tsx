// A test of a channel: sends a real message at once, and shows what the other side answered. Guards: the answer is text of
// strangers and is shown as text alone.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { formatMilliseconds } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Status } from '../../../ui/status.tsx';
import type { Channel, ChannelType } from './channel-words.ts';
import classes from './channels.module.css';

type Trial = OperationTypes['tryNotificationChannel']['result'];

function Answer({ trial, isMail }: { trial: Trial; isMail: boolean }) {
  const { delivered, words, took_ms, answer } = trial;
  return (
    <div className={classes.result} role="status">
      <Status
        mark={delivered ? 'ok' : 'failed'}
        label={`${delivered ? 'Delivered' : 'Not delivered'} in ${formatMilliseconds(took_ms)}`}
      />
      <p>{words}</p>
      {answer === null ? (
        <p className={classes.remark}>The other side gave no answer.</p>
      ) : answer.text === '' ? (
        <p className={classes.remark}>
          It answered with status {answer.status} and{' '}
          {answer.is_cut ? 'nothing that can be shown' : 'no text'}.
        </p>
      ) : (
        <CodeBlock
          code={answer.text}
          label={`Its answer, ${isMail ? 'SMTP' : 'HTTP'} ${answer.status}${answer.is_cut ? ', the beginning' : ''}`}
        />
      )}
    </div>
  );
}

export function ChannelTest({ channel, type }: { channel: Channel; type: ChannelType }) {
  const [address, setAddress] = useState('');
  const trial = useOperationMutation('tryNotificationChannel');
  const { has_recipients: isMail } = type;
  const run = (event: FormEvent) => {
    event.preventDefault();
    const to = address.trim();
    trial.mutate({
      params: { id: channel.id },
      body: isMail && to !== '' ? { recipient_email: to } : {},
    });
  };
  return (
    <Panel title="Test" note="sends a message now, with the saved settings">
      <form className={layout.tools} onSubmit={run} noValidate>
        {isMail ? (
          <TextInput
            label="To"
            description="Empty: all recipients that are switched on."
            placeholder="ada@example.com"
            autoComplete="off"
            spellCheck={false}
            maxLength={254}
            {...typed(address, setAddress)}
          />
        ) : null}
        <Button type="submit" variant="default" loading={trial.isPending}>
          {trial.data ? 'Send another test' : 'Send a test'}
        </Button>
      </form>
      {trial.error ? (
        <div className={classes.result}>
          <FormError error={trial.error} />
        </div>
      ) : null}
      {trial.data && !trial.isPending ? <Answer trial={trial.data} isMail={isMail} /> : null}
    </Panel>
  );
}
