// Acknowledging an alert or all of an incident, with a message to the others, and taking that back. What was typed stays when the server refuses it.
import { Button, Checkbox, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutations } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormButtons } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Name } from '../../../ui/name.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { type Alert, serverWords } from './alert-words.ts';
import classes from './alerts.module.css';

interface OfAlerts {
  /** One, or those of an incident, the cause first. */
  alerts: readonly Alert[];
  /** What the form says at first. */
  isFalsePositive?: boolean;
  onClose: () => void;
}

function Subject({ alerts }: { alerts: readonly Alert[] }) {
  const [lead, ...rest] = alerts;
  return lead === undefined ? null : (
    <p className={classes.subject}>
      <Name>{lead.title}</Name> on <Name>{serverWords(lead)}</Name>
      {rest.length === 0 ? null : ` and ${countOf(rest.length, 'more alert')} of the incident`}
    </p>
  );
}

function AcknowledgeForm({ alerts, isFalsePositive = false, onClose }: OfAlerts) {
  const [message, setMessage] = useState('');
  const [isFalse, setFalse] = useState(isFalsePositive);
  const acknowledge = useOperationMutations('acknowledgeAlert');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const bodies = alerts.map(({ id }) => ({
      body: {
        alert_id: id,
        ...(message.trim() === '' ? {} : { message: message.trim() }),
        false_positive: isFalse,
      },
    }));
    acknowledge.mutate(bodies, { onSuccess: onClose });
  };
  return (
    <form className={forms.form} onSubmit={submit}>
      <Subject alerts={alerts} />
      <FormError error={acknowledge.error} />
      <Textarea
        label="Message"
        description="Optional; visible to all users who see the alert."
        rows={3}
        maxLength={4000}
        {...typed(message, setMessage)}
        data-autofocus
      />
      <Checkbox
        label="It is a false positive"
        description={
          alerts.some(({ alert_type }) => alert_type === 'anomaly')
            ? 'No anomaly of this metric on this server and database is raised for 24 hours.'
            : 'Noted with the alert.'
        }
        {...ticked(isFalse, setFalse)}
      />
      <FormButtons verb="Acknowledge" isPending={acknowledge.isPending} onCancel={onClose} />
    </form>
  );
}

function TakeBack({ alerts, onClose }: OfAlerts) {
  const takeBack = useOperationMutations('unacknowledgeAlert');
  const isMuted = alerts.some(({ false_positive, alert_type }) => false_positive && alert_type === 'anomaly');
  const inputs = alerts.map(({ id }) => ({ query: { alert_id: id } }));
  return (
    <div className={forms.form}>
      <Subject alerts={alerts} />
      <FormError error={takeBack.error} />
      <p>
        {alerts.length === 1 ? 'The alert is' : 'The alerts are'} active again, without an acknowledgement.
        {isMuted ? ' Anomalies of its metric are raised again.' : null}
      </p>
      <div className={forms.actions}>
        <Button
          loading={takeBack.isPending}
          data-autofocus
          onClick={() => takeBack.mutate(inputs, { onSuccess: onClose })}
        >
          Take it back
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

interface DialogProps extends Omit<OfAlerts, 'alerts'> {
  alerts: readonly Alert[] | undefined;
}

/** Opens where alerts are given: to acknowledge active ones, to take back what was acknowledged. */
export function AcknowledgeDialog({ alerts, isFalsePositive = false, onClose }: DialogProps) {
  const isActive = alerts?.[0]?.status === 'active';
  const what = alerts?.length === 1 ? 'the alert' : 'the incident';
  return (
    <Dialog
      title={isActive ? `Acknowledge ${what}` : 'Take back the acknowledgement'}
      opened={alerts !== undefined}
      onClose={onClose}
    >
      {alerts === undefined ? null : isActive ? (
        <AcknowledgeForm alerts={alerts} isFalsePositive={isFalsePositive} onClose={onClose} />
      ) : (
        <TakeBack alerts={alerts} onClose={onClose} />
      )}
    </Dialog>
  );
}

export interface AcknowledgeButtonProps {
  alert: Alert;
  /** Says in words of which alert it is, among many. */
  isNamed?: boolean;
  onPress: (alert: Alert) => void;
}

const READ_ONLY = 'Acknowledging needs read and write access to this server.';

/** Whether the caller can press a button for it at all. */
const isForAcknowledging = ({ status, may_acknowledge }: Alert): boolean =>
  status !== 'cleared' && may_acknowledge !== false;

/** Of some alerts those that a press is for: the active ones, or where there is none those that were acknowledged. */
export function pressable(alerts: readonly Alert[]): readonly Alert[] {
  const all = alerts.filter(isForAcknowledging);
  const active = all.filter(({ status }) => status === 'active');
  return active.length > 0 ? active : all;
}

/** Nothing for what has cleared; for those who may only read, why there is none. */
export function AcknowledgeButton({ alert, isNamed = false, onPress }: AcknowledgeButtonProps) {
  if (alert.status === 'cleared') return null;
  if (!isForAcknowledging(alert))
    return isNamed ? (
      <Unknown because={READ_ONLY} />
    ) : (
      <span className={classes.remark}>{READ_ONLY} An administrator can give it to you.</span>
    );
  const words = alert.status === 'active' ? 'Acknowledge' : 'Take back';
  return (
    <Button
      {...(isNamed
        ? {
            size: 'compact-sm',
            variant: 'subtle',
            'aria-label': `${words}: ${alert.title} on ${serverWords(alert)}`,
          }
        : { variant: 'default' })}
      onClick={() => onPress(alert)}
    >
      {words}
    </Button>
  );
}
