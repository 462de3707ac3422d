// Making and changing a schedule, with the next times while one types.
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import { Question } from '../../../ui/question.tsx';
import type { Schedule, TargetDraft } from './blackout-words.ts';
import { SchedulePreview } from './schedule-preview.tsx';
import { ScheduleTimes } from './schedule-times.tsx';
import { scheduleBody, scheduleDraft, scheduleFault, timesOf } from './schedule-words.ts';
import { TargetField } from './target-field.tsx';

interface FormProps {
  schedule: Schedule | undefined;
  target: TargetDraft;
  onClose: () => void;
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

function ScheduleForm({ schedule, target, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => scheduleDraft(schedule, zoneName('local'), target));
  const [tried, setTried] = useState(false);
  const saving = useSave(schedule, onClose);
  const change = (next: Partial<typeof draft>) => setDraft((last) => ({ ...last, ...next }));
  const fault = scheduleFault(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault === undefined && !saving.isPending) saving.save(scheduleBody(draft));
  };
  return (
    <form className={forms.form} onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        {...typed(draft.name, (name) => change({ name }))}
      />
      <TargetField target={draft.target} onChange={(next) => change({ target: next })} />
      <ScheduleTimes draft={draft} onChange={change} />
      <SchedulePreview times={timesOf(draft)} timezone={draft.timezone} />
      <Textarea
        label="Reason"
        description="Shown with each silence of this schedule."
        rows={2}
        maxLength={4000}
        {...typed(draft.reason, (reason) => change({ reason }))}
      />
      <Checkbox
        label="Enabled"
        description="Windows missed while disabled are not rescheduled."
        {...ticked(draft.enabled, (enabled) => change({ enabled }))}
      />
      <FormEnd
        verb={schedule ? 'Save the schedule' : 'Create the schedule'}
        fault={tried ? fault : undefined}
        error={saving.error}
        isPending={saving.isPending}
        onCancel={onClose}
      />
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
    <Dialog title={title} opened={opened} onClose={onClose} size="lg">
      <ScheduleForm schedule={schedule} target={target} onClose={onClose} />
    </Dialog>
  );
}

export function DeleteScheduleDialog(props: { schedule: Schedule | undefined; onClose: () => void }) {
  const { schedule, onClose } = props;
  return (
    <Question
      title="Delete the schedule?"
      verb="Delete it"
      operation="deleteBlackoutSchedule"
      id={schedule?.id}
      onClose={onClose}
    >
      <p>
        "{schedule?.name}" makes no further silences. The ones it already made stay; stop them to end them
        now.
      </p>
    </Question>
  );
}
