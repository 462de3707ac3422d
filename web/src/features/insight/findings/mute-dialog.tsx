// Muting a finding, with a reason and an end, and taking that back. What was typed stays when the server refuses it.

import { Button, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { DAY_MS } from '../../../lib/units.ts';
import { fieldInstant, fieldText, zoneName } from '../../../lib/zone.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Lengths } from '../../../ui/lengths.tsx';
import { Name } from '../../../ui/name.tsx';
import type { Finding, FindingDetail } from './finding-words.ts';
import classes from './findings.module.css';

const LENGTHS = [
  { label: '1 day', ms: DAY_MS },
  { label: '1 week', ms: 7 * DAY_MS },
  { label: '30 days', ms: 30 * DAY_MS },
  { label: '90 days', ms: 90 * DAY_MS },
  { label: '1 year', ms: 365 * DAY_MS },
] as const;

const nowMs = () => currentSecond() * 1000;
const zone = zoneName('local');
/** To the minute, as the field holds it. */
const fieldOf = (at: number) => fieldText(at, zone).slice(0, 16);

/** What keeps it from being sent; undefined: nothing. */
export function muteFault(end: number | undefined, { reason, now }: { reason: string; now: number }) {
  if (end === undefined) return 'Until needs a date and a time.';
  if (end <= now) return 'Until has to be later than now.';
  if (end - now > 366 * DAY_MS) return 'Until can be a year ahead at most.';
  return reason.trim() === '' ? 'A reason is needed, so that others know why.' : undefined;
}

function MuteForm({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const [until, setUntil] = useState(() => fieldOf(nowMs() + 30 * DAY_MS));
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const mute = useOperationMutation('muteFinding');
  const end = fieldInstant(until, zone);
  const fault = muteFault(end, { reason, now: nowMs() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined || end === undefined) return;
    const body = { until: new Date(end).toISOString(), reason: reason.trim() };
    mute.mutate({ params: { id: finding.id }, body }, { onSuccess: onClose });
  };
  return (
    <form className={forms.form} onSubmit={submit} noValidate>
      <p className={classes.subject}>
        <Name>{finding.message}</Name>
      </p>
      <p className={classes.remark}>It stays where it is, and is counted no more until then.</p>
      <Textarea
        label="Reason"
        description="Visible to all users who see the finding."
        rows={2}
        maxLength={500}
        {...typed(reason, setReason)}
        required
        data-autofocus
      />
      <TextInput
        type="datetime-local"
        label="Until"
        description={zone}
        {...typed(until, setUntil)}
        required
      />
      <Lengths what="For how long" lengths={LENGTHS} onLength={(ms) => setUntil(fieldOf(nowMs() + ms))} />
      <FormEnd
        verb="Mute"
        fault={tried ? fault : undefined}
        error={mute.error}
        isPending={mute.isPending}
        onCancel={onClose}
      />
    </form>
  );
}

const READ_ONLY = 'Muting needs read and write access to this server.';

interface MuteButtonProps {
  detail: FindingDetail;
  /** Told when its dialog opens and closes. */
  onOpened?: (isOpen: boolean) => void;
}

/** For those who may only read, why there is no button. */
export function MuteButton({ detail: { finding, can_mute }, onOpened }: MuteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const open = (value: boolean) => {
    setOpen(value);
    onOpened?.(value);
  };
  const unmute = useOperationMutation('unmuteFinding');
  if (!can_mute) return <span className={classes.remark}>{READ_ONLY}</span>;
  return (
    <>
      {finding.muted_until === null ? (
        <Button variant="default" onClick={() => open(true)}>
          Mute
        </Button>
      ) : (
        <Button
          variant="default"
          loading={unmute.isPending}
          onClick={() => unmute.mutate({ params: { id: finding.id } })}
        >
          Unmute
        </Button>
      )}
      <FormError error={unmute.error} />
      <Dialog title="Mute the finding" opened={isOpen} onClose={() => open(false)}>
        <MuteForm finding={finding} onClose={() => open(false)} />
      </Dialog>
    </>
  );
}
