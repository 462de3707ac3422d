// One event of the audit log with all that is known of it.
import { ActionIcon, Drawer } from '@mantine/core';
import { exactTime } from '../../../lib/time.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CloseIcon } from '../../../ui/icons.ts';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import { Name } from '../../../ui/name.tsx';
import { Status } from '../../../ui/status.tsx';
import classes from './audit.module.css';
import {
  type AuditEvent,
  actionWords,
  HIDDEN_WORDS,
  OUTCOME_MARKS,
  OUTCOME_WORDS,
  targetText,
} from './audit-words.ts';

const VIA = {
  session: 'Session',
  token: 'API token',
  provider_token: 'Token of a sign-in provider',
  system: 'The program itself',
} as const;

const none = (words: string) => <span className={classes.dim}>{words}</span>;

function factsOf(event: AuditEvent): KeyValue[] {
  return [
    { name: 'When', value: <time dateTime={event.at}>{exactTime(event.at)}</time>, detail: event.at },
    {
      name: 'Who',
      value: event.actor_name === null ? none('unknown user') : <Name>{event.actor_name}</Name>,
      detail: event.actor_id === null ? undefined : `user ${event.actor_id}`,
    },
    { name: 'Action', value: <code>{event.action}</code> },
    { name: 'Place in the log', value: event.id },
    ...(event.hidden ? [{ name: 'The rest', value: HIDDEN_WORDS }] : moreOf(event)),
  ];
}

function moreOf(event: AuditEvent): KeyValue[] {
  const via = event.via === null ? none('not known') : VIA[event.via];
  const target = targetText(event);
  return [
    { name: 'By way of', value: via, detail: event.via_id === null ? undefined : `number ${event.via_id}` },
    { name: 'From', value: event.address ?? none('not known') },
    {
      name: 'Outcome',
      value: event.outcome && (
        <Status mark={OUTCOME_MARKS[event.outcome]} label={OUTCOME_WORDS[event.outcome]} />
      ),
      detail:
        event.occurrences !== null && event.occurrences > 1
          ? `${event.occurrences} times within a minute`
          : undefined,
    },
    {
      name: 'Target',
      value: target === '' ? none('none') : <Name>{target}</Name>,
      detail: event.target_id === null ? undefined : `id ${event.target_id}`,
    },
    { name: 'Request', value: event.request_id ? <code>{event.request_id}</code> : none('none') },
    { name: 'Hash', value: <code>{event.hash}</code>, detail: 'of this event and the one before it' },
  ];
}

export function AuditDetails({ event, onClose }: { event: AuditEvent | undefined; onClose: () => void }) {
  return (
    <Drawer.Root
      opened={event !== undefined}
      onClose={onClose}
      position="right"
      size={460}
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.45} />
      <Drawer.Content aria-label="Details of the event">
        {event ? (
          <Drawer.Body className={classes.details}>
            <div className={classes.top}>
              <h2 className={classes.title}>{actionWords(event.action)}</h2>
              <ActionIcon variant="subtle" aria-label="Close the details" onClick={onClose}>
                <CloseIcon size={18} />
              </ActionIcon>
            </div>
            <KeyValues items={factsOf(event)} />
            {Object.keys(event.details).length === 0 ? null : (
              <CodeBlock label="What was changed, or why not" code={JSON.stringify(event.details, null, 2)} />
            )}
          </Drawer.Body>
        ) : null}
      </Drawer.Content>
    </Drawer.Root>
  );
}
