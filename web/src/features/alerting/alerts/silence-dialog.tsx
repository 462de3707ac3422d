// Silences what an alert is about for an hour, after a question that says what that covers.

import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { HOUR_MS } from '../../../lib/units.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormError } from '../../../ui/form-error.tsx';
import { Name } from '../../../ui/name.tsx';
import type { Subject } from './alert-keys.ts';
import { serverWords } from './alert-words.ts';

/** The cluster where several of its servers are concerned, else the server. */
function targetOf({ alerts: [lead], cluster_id }: Subject) {
  if (cluster_id !== null) return { scope: 'cluster' as const, cluster_id };
  return lead && { scope: 'server' as const, connection_id: lead.connection_id };
}

function SilenceForm({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const [lead] = subject.alerts;
  const [reason, setReason] = useState(lead?.title ?? '');
  const create = useOperationMutation('createBlackout');
  const target = targetOf(subject);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!target) return;
    const now = currentSecond() * 1000;
    const [start_time, end_time] = [now, now + HOUR_MS].map((at) => new Date(at).toISOString());
    if (start_time === undefined || end_time === undefined) return;
    create.mutate(
      { body: { ...target, start_time, end_time, reason: reason.trim() } },
      { onSuccess: onClose },
    );
  };
  const isCluster = target?.scope === 'cluster';
  return (
    <form className={forms.form} onSubmit={submit}>
      <p>
        {isCluster ? 'Cluster ' : 'Server '}
        <Name>{isCluster || !lead ? subject.place : serverWords(lead)}</Name>: no new alert is raised and no
        notification is sent for 1 hour. Open alerts stay open. An alert that still holds then is sent.
      </p>
      <FormError error={create.error} />
      <Textarea label="Reason" rows={2} maxLength={4000} {...typed(reason, setReason)} />
      <div className={forms.actions}>
        <Button type="submit" loading={create.isPending} data-autofocus>
          Silence for 1 h
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

export function SilenceDialog({ subject, onClose }: { subject: Subject | undefined; onClose: () => void }) {
  return (
    <Dialog title="Silence for 1 hour?" opened={subject !== undefined} onClose={onClose}>
      {subject ? <SilenceForm subject={subject} onClose={onClose} /> : null}
    </Dialog>
  );
}
