// Taking an alert on, with a word to the others, and giving it back. What was typed stays when the server refuses it.
import { Button, Checkbox, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../api/use-operation.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Name } from '../../ui/name.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import { type Alert, serverWords } from './alert-words.ts';
import classes from './alerts.module.css';

interface OfAlert {
  alert: Alert;
  /** What the form says at first. */
  isFalsePositive?: boolean;
  onClose: () => void;
}

const Subject = ({ alert }: { alert: Alert }) => (
  <p className={classes.subject}>
    <Name>{alert.title}</Name> on <Name>{serverWords(alert)}</Name>
  </p>
);

function AcknowledgeForm({ alert, isFalsePositive = false, onClose }: OfAlert) {
  const [message, setMessage] = useState('');
  const [isFalse, setFalse] = useState(isFalsePositive);
  const acknowledge = useOperationMutation('acknowledgeAlert');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      alert_id: alert.id,
      ...(message.trim() === '' ? {} : { message: message.trim() }),
      false_positive: isFalse,
    };
    acknowledge.mutate({ body }, { onSuccess: onClose });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <Subject alert={alert} />
      <FormError error={acknowledge.error} />
      <Textarea
        label="Message"
        description="Optional; visible to all users who see the alert."
        rows={3}
        maxLength={4000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        data-autofocus
      />
      <Checkbox
        label="It is a false positive"
        description={
          alert.alert_type === 'anomaly'
            ? 'No anomaly of this metric on this server and database is raised for 24 hours.'
            : 'Noted with the alert.'
        }
        checked={isFalse}
        onChange={(event) => setFalse(event.target.checked)}
      />
      <div className={classes.actions}>
        <Button type="submit" loading={acknowledge.isPending}>
          Acknowledge
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function TakeBack({ alert, onClose }: OfAlert) {
  const takeBack = useOperationMutation('unacknowledgeAlert');
  return (
    <div className={classes.form}>
      <Subject alert={alert} />
      <FormError error={takeBack.error} />
      <p>
        The alert is active again, without an acknowledgement.
        {alert.false_positive && alert.alert_type === 'anomaly'
          ? ' Anomalies of its metric are raised again.'
          : null}
      </p>
      <div className={classes.actions}>
        <Button
          loading={takeBack.isPending}
          data-autofocus
          onClick={() => takeBack.mutate({ query: { alert_id: alert.id } }, { onSuccess: onClose })}
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

interface DialogProps extends Omit<OfAlert, 'alert'> {
  alert: Alert | undefined;
}

/** Opens where an alert is given: to acknowledge an active one, to take back what was acknowledged. */
export function AcknowledgeDialog({ alert, isFalsePositive = false, onClose }: DialogProps) {
  const isActive = alert?.status === 'active';
  return (
    <Dialog
      title={isActive ? 'Acknowledge the alert' : 'Take back the acknowledgement'}
      opened={alert !== undefined}
      onClose={onClose}
    >
      {alert === undefined ? null : isActive ? (
        <AcknowledgeForm alert={alert} isFalsePositive={isFalsePositive} onClose={onClose} />
      ) : (
        <TakeBack alert={alert} onClose={onClose} />
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

/** Whether somebody who is signed in can press a button for it at all. */
export const isForAcknowledging = ({ status, may_acknowledge }: Alert): boolean =>
  status !== 'cleared' && may_acknowledge !== false;

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
        ? { size: 'compact-sm', 'aria-label': `${words}: ${alert.title} on ${serverWords(alert)}` }
        : {})}
      variant="default"
      onClick={() => onPress(alert)}
    >
      {words}
    </Button>
  );
}
