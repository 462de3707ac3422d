// Making and changing a schedule, with the next times while one types.
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { DraftDialog, type DraftForm, useDraftGuard } from '../../../ui/draft-dialog.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import type { Schedule, TargetDraft } from './blackout-words.ts';
import classes from './blackouts.module.css';
import { SchedulePreview } from './schedule-preview.tsx';
import { ScheduleTimes } from './schedule-times.tsx';
import { scheduleBody, scheduleDraft, scheduleFault, timesOf } from './schedule-words.ts';
import { TargetField } from './target-field.tsx';

interface FormProps {
  schedule: Schedule | undefined;
  target: TargetDraft;
  form: DraftForm;
}

function useSave(schedule: Schedule | undefined, onSuccess: () => void) {
  const create = useOperationMutation('createBlackoutSchedule');
  const update = useOperationMutation('updateBlackoutSchedule');
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    save: (body: ReturnType<typeof scheduleBody>) =>
      schedule
        ? update.mutate({ params: { id: schedule.id }, body }, { onSuccess })
        : create.mutate({ body }, { onSuccess }),
  };
}

function ScheduleForm({ schedule, target, form }: FormProps) {
  const [draft, setDraft] = useState(() => scheduleDraft(schedule, zoneName('local'), target));
  const [tried, setTried] = useState(false);
  useDraftGuard(draft, form.onDraft);
  const saving = useSave(schedule, form.onSaved);
  const change = (next: Partial<typeof draft>) => setDraft((last) => ({ ...last, ...next }));
  const fault = scheduleFault(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault === undefined && !saving.isPending) saving.save(scheduleBody(draft));
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
      <ScheduleTimes draft={draft} onChange={change} />
      <SchedulePreview times={timesOf(draft)} timezone={draft.timezone} />
      <Textarea
        label="Reason"
        description="Shown with each silence of this schedule."
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
      <FormError error={saving.error} />
      <div className={classes.actions}>
        <Button type="submit" loading={saving.isPending}>
          {schedule ? 'Save the schedule' : 'Create the schedule'}
        </Button>
        <Button variant="subtle" onClick={form.onCancel}>
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

export function ScheduleDialog({ opened, schedule, target, onClose }: ScheduleDialogProps) {
  const title = schedule ? 'Change the schedule' : 'New schedule';
  return (
    <DraftDialog title={title} opened={opened} onClose={onClose}>
      {(form) => <ScheduleForm schedule={schedule} target={target} form={form} />}
    </DraftDialog>
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
          "{schedule?.name}" makes no further silences. The ones it already made stay; stop them to end them
          now.
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
