// Makes or changes a schedule of reports, with its next times as it is filled in: every Monday at eight by the reader's own clock
// unless they say otherwise. Guards: what it is of is said, and that its recipients read what its owner may see.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import { FormEnd } from '../../../ui/form-end.tsx';
import { cronOfTimes, type SendTimes, sendTimesOf } from './send-times.ts';
import { SendTimesFields } from './send-times-fields.tsx';

export type ReportSchedule = OperationTypes['listReportSchedules']['result'][number];
export type MailChannel = Pick<OperationTypes['listNotificationChannels']['result'][number], 'id' | 'name'>;

/** What a report is of. */
export interface Target {
  name: string;
  scope: ReportSchedule['scope'];
  scope_id?: number;
}

interface Draft {
  name: string;
  times: SendTimes;
  zone: string;
  channel: string;
  enabled: boolean;
}

function draftOf(
  schedule: ReportSchedule | undefined,
  target: Target,
  channels: readonly MailChannel[],
): Draft {
  const first = channels[0]?.id ?? '';
  if (!schedule)
    return {
      name: `Report: ${target.name}`,
      times: sendTimesOf('0 8 * * MON'),
      zone: zoneName('local'),
      channel: String(first),
      enabled: true,
    };
  const { name, cron_expression: cron, timezone: zone, channel_id, enabled } = schedule;
  return { name, times: sendTimesOf(cron), zone, channel: String(channel_id ?? first), enabled };
}

export interface ScheduleFormProps {
  /** Undefined: a new one. */
  schedule: ReportSchedule | undefined;
  target: Target;
  channels: readonly MailChannel[];
  onClose: () => void;
}

function Form({ schedule, target, channels, onClose }: ScheduleFormProps) {
  const [draft, setDraft] = useState(() => draftOf(schedule, target, channels));
  const create = useOperationMutation('createReportSchedule');
  const update = useOperationMutation('updateReportSchedule');
  const change = (next: Partial<Draft>) => setDraft((last) => ({ ...last, ...next }));
  const cron = cronOfTimes(draft.times);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (cron === undefined || create.isPending || update.isPending) return;
    const { scope, scope_id } = target;
    const body = {
      ...{ name: draft.name.trim(), scope, enabled: draft.enabled, channel_id: Number(draft.channel) },
      ...{ cron_expression: cron, timezone: draft.zone.trim() },
      ...(scope_id !== undefined && { scope_id }),
    };
    const done = { onSuccess: onClose };
    if (schedule) update.mutate({ params: { id: schedule.id }, body }, done);
    else create.mutate({ body }, done);
  };
  return (
    <form className={forms.form} onSubmit={submit} noValidate>
      <p>
        Of: <strong>{target.name}</strong>. It tells of the time since the report before. The recipients of
        the channel read what {schedule ? schedule.owner_username : 'you'} may see when it is sent.
      </p>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        {...typed(draft.name, (name) => change({ name }))}
      />
      <SendTimesFields
        times={draft.times}
        zone={draft.zone}
        onTimes={(times) => change({ times })}
        onZone={(zone) => change({ zone })}
      />
      <NativeSelect
        label="Channel"
        data={channels.map(({ id, name }) => ({ value: String(id), label: name }))}
        {...typed(draft.channel, (channel) => change({ channel }))}
      />
      <Checkbox label="Enabled" {...ticked(draft.enabled, (enabled) => change({ enabled }))} />
      <FormEnd
        verb={schedule ? 'Save the schedule' : 'Create the schedule'}
        error={create.error ?? update.error}
        isPending={create.isPending || update.isPending}
        isDisabled={cron === undefined}
        onCancel={onClose}
      />
    </form>
  );
}

export function ScheduleFormDialog({ opened, ...form }: ScheduleFormProps & { opened: boolean }) {
  return (
    <Dialog
      title={form.schedule ? 'Change the schedule' : 'Send this report on a schedule'}
      opened={opened}
      onClose={form.onClose}
    >
      <Form {...form} />
    </Dialog>
  );
}
