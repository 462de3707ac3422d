// Making and changing a schedule, with the next times while one types.
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../api/use-operation.ts';
import { zoneName } from '../../lib/zone.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { ZoneField } from '../../ui/zone-field.tsx';
import {
  type Schedule,
  scheduleBody,
  scheduleDraft,
  scheduleFault,
  type TargetDraft,
} from './blackout-words.ts';
import classes from './blackouts.module.css';
import { SchedulePreview } from './schedule-preview.tsx';
import { TargetField } from './target-field.tsx';

interface FormProps {
  schedule: Schedule | undefined;
  target: TargetDraft;
  onClose: () => void;
}

function ScheduleForm({ schedule, target, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => scheduleDraft(schedule, zoneName('local'), target));
  const [tried, setTried] = useState(false);
  const create = useOperationMutation('createBlackoutSchedule');
  const update = useOperationMutation('updateBlackoutSchedule');
  const change = (next: Partial<typeof draft>) => setDraft((last) => ({ ...last, ...next }));
  const fault = scheduleFault(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault !== undefined || create.isPending || update.isPending) return;
    const [body, done] = [scheduleBody(draft), { onSuccess: onClose }];
    if (schedule) update.mutate({ params: { id: schedule.id }, body }, done);
    else create.mutate({ body }, done);
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TargetField target={draft.target} onChange={(next) => change({ target: next })} />
      <div className={classes.pair}>
        <TextInput
          label="When"
          description="Minute, hour, day of month, month, day of week."
          placeholder="0 2 * * SUN"
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={draft.cron_expression}
          onChange={(event) => change({ cron_expression: event.target.value })}
        />
        <TextInput
          label="Minutes"
          description="How long it lasts, up to a week."
          inputMode="numeric"
          value={draft.duration_minutes}
          onChange={(event) => change({ duration_minutes: event.target.value })}
        />
      </div>
      <ZoneField
        description="Daylight saving time is respected."
        value={draft.timezone}
        onChange={(timezone) => change({ timezone })}
      />
      <SchedulePreview {...draft} />
      <Textarea
        label="Reason"
        description="Each blackout that it makes says it."
        rows={2}
        maxLength={4000}
        value={draft.reason}
        onChange={(event) => change({ reason: event.target.value })}
      />
      <Checkbox
        label="Enabled"
        description="Windows missed while disabled are not rescheduled."
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.target.checked })}
      />
      {tried && fault !== undefined ? (
        <p role="alert" className={classes.fault}>
          {fault}
        </p>
      ) : null}
      <FormError error={create.error ?? update.error} />
      <div className={classes.actions}>
        <Button type="submit" loading={create.isPending || update.isPending}>
          {schedule ? 'Save the schedule' : 'Create the schedule'}
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

export interface ScheduleDialogProps {
  opened: boolean;
  /** Undefined: a new one. */
  schedule: Schedule | undefined;
  target: TargetDraft;
  onClose: () => void;
}

export function ScheduleDialog({ opened, ...form }: ScheduleDialogProps) {
  const title = form.schedule ? 'Change the schedule' : 'New schedule';
  return (
    <Dialog title={title} opened={opened} onClose={form.onClose} size="lg">
      <ScheduleForm {...form} />
    </Dialog>
  );
}

export function DeleteScheduleDialog(props: { schedule: Schedule | undefined; onClose: () => void }) {
  const { schedule } = props;
  const remove = useOperationMutation('deleteBlackoutSchedule');
  const close = () => {
    remove.reset();
    props.onClose();
  };
  return (
    <Dialog title="Delete the schedule?" opened={schedule !== undefined} onClose={close}>
      <div className={classes.form}>
        <FormError error={remove.error} />
        <p>
          {schedule?.name}: it makes no further blackouts. Those that it made stay; stop them if they should
          end now.
        </p>
        <div className={classes.actions}>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => schedule && remove.mutate({ params: { id: schedule.id } }, { onSuccess: close })}
          >
            Delete it
          </Button>
          <Button variant="subtle" data-autofocus onClick={close}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
