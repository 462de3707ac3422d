// Making a silence, changing when one ends, and the last question before one is stopped or deleted.

import { Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { HOUR_MS } from '../../../lib/units.ts';
import { fieldInstant, zoneName } from '../../../lib/zone.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import layout from '../../../ui/layout.module.css';
import { Lengths } from '../../../ui/lengths.tsx';
import { Question } from '../../../ui/question.tsx';
import {
  type Blackout,
  draftBody,
  draftFault,
  minuteField,
  newDraft,
  spanWords,
  type TargetDraft,
  targetWords,
} from './blackout-words.ts';
import classes from './blackouts.module.css';
import { TargetField } from './target-field.tsx';

const LENGTHS = [
  { label: '30 min', ms: HOUR_MS / 2 },
  { label: '1 h', ms: HOUR_MS },
  { label: '2 h', ms: 2 * HOUR_MS },
  { label: '8 h', ms: 8 * HOUR_MS },
  { label: '1 day', ms: 24 * HOUR_MS },
];

const nowMs = () => currentSecond() * 1000;

function NewForm({ target, onClose }: { target: TargetDraft; onClose: () => void }) {
  const zone = zoneName('local');
  const [draft, setDraft] = useState(() => newDraft(nowMs(), zone, target));
  const [tried, setTried] = useState(false);
  const create = useOperationMutation('createBlackout');
  const change = (next: Partial<typeof draft>) => setDraft((last) => ({ ...last, ...next }));
  const fault = draftFault(draft, nowMs(), zone);
  const start = fieldInstant(draft.start, zone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault === undefined) create.mutate({ body: draftBody(draft, zone) }, { onSuccess: onClose });
  };
  return (
    <form className={forms.form} onSubmit={submit} noValidate>
      <p className={classes.remark}>
        While it lasts, no new alert is raised there and no notification is sent. Open alerts stay open.
      </p>
      <TargetField target={draft.target} onChange={(next) => change({ target: next })} />
      <div className={layout.pair}>
        <TextInput
          type="datetime-local"
          label="Start"
          {...typed(draft.start, (start) => change({ start }))}
        />
        <TextInput type="datetime-local" label="End" {...typed(draft.end, (end) => change({ end }))} />
      </div>
      <p className={classes.remark}>Times are in {zone}, the time zone of this browser.</p>
      <Lengths
        what="How long"
        lengths={LENGTHS}
        isDisabled={start === undefined}
        onLength={(ms) => start !== undefined && change({ end: minuteField(start + ms, zone) })}
      />
      <Textarea
        label="Reason"
        description="Visible to all users who see it."
        rows={2}
        maxLength={4000}
        {...typed(draft.reason, (reason) => change({ reason }))}
      />
      <FormEnd
        verb="Create the silence"
        fault={tried ? fault : undefined}
        error={create.error}
        isPending={create.isPending}
        onCancel={onClose}
      />
    </form>
  );
}

export function NewBlackoutDialog(props: { opened: boolean; target: TargetDraft; onClose: () => void }) {
  return (
    <Dialog title="New silence" opened={props.opened} onClose={props.onClose} size="lg">
      <NewForm target={props.target} onClose={props.onClose} />
    </Dialog>
  );
}

function ExtendForm({ blackout, onClose }: { blackout: Blackout; onClose: () => void }) {
  const zone = zoneName('local');
  const [end, setEnd] = useState(() => minuteField(Date.parse(blackout.end_time), zone));
  const [reason, setReason] = useState(blackout.reason);
  const [tried, setTried] = useState(false);
  const update = useOperationMutation('updateBlackout');
  const at = fieldInstant(end, zone);
  const isEnd = end !== minuteField(Date.parse(blackout.end_time), zone);
  const isGood = !isEnd || (at !== undefined && at > nowMs() && at > Date.parse(blackout.start_time));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isGood) return;
    const body = {
      reason: reason.trim(),
      ...(isEnd && at !== undefined && { end_time: new Date(at).toISOString() }),
    };
    update.mutate({ params: { id: blackout.id }, body }, { onSuccess: onClose });
  };
  return (
    <form className={forms.form} onSubmit={submit} noValidate>
      <p className={classes.remark}>
        {targetWords(blackout)}, {spanWords(blackout, zone)}
      </p>
      <TextInput type="datetime-local" label="End" description={zone} {...typed(end, setEnd)} />
      <Lengths
        what="Longer by"
        lengths={LENGTHS}
        onLength={(ms) => setEnd(minuteField(Math.max(Date.parse(blackout.end_time), nowMs()) + ms, zone))}
      />
      <Textarea label="Reason" rows={2} maxLength={4000} {...typed(reason, setReason)} />
      <FormEnd
        verb="Save"
        fault={tried && !isGood ? 'The end must be in the future and after the start.' : undefined}
        error={update.error}
        isPending={update.isPending}
        onCancel={onClose}
      />
    </form>
  );
}

export function ExtendDialog({ blackout, onClose }: { blackout: Blackout | undefined; onClose: () => void }) {
  return (
    <Dialog title="Change the silence" opened={blackout !== undefined} onClose={onClose} size="lg">
      {blackout ? <ExtendForm blackout={blackout} onClose={onClose} /> : null}
    </Dialog>
  );
}

interface AskProps {
  blackout: Blackout | undefined;
  onClose: () => void;
}

export function StopDialog({ blackout, onClose }: AskProps) {
  return (
    <Question
      title="Stop the silence?"
      verb="Stop it now"
      operation="stopBlackout"
      id={blackout?.id}
      onClose={onClose}
    >
      <p>
        {blackout ? targetWords(blackout) : ''} is watched again from now on. Alerts that still hold are sent
        at once.
      </p>
    </Question>
  );
}

export function DeleteBlackoutDialog({ blackout, onClose }: AskProps) {
  return (
    <Question
      title="Delete the silence?"
      verb="Delete it"
      operation="deleteBlackout"
      id={blackout?.id}
      onClose={onClose}
    >
      <p>{blackout ? `${targetWords(blackout)}, ${spanWords(blackout, zoneName('local'))}.` : ''}</p>
    </Question>
  );
}
