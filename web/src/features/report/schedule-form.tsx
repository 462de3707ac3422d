// Makes or changes a schedule of reports, with its next times while one types: every Monday at eight by the reader's own clock unless
// they say otherwise. Guards: what it is of is said, and that its recipients read what its owner may see.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OperationTypes } from '../../api/operations.gen.ts';
import { useOperation, useOperationMutation } from '../../api/use-operation.ts';
import { useSettled } from '../../lib/use-settled.ts';
import { zoneName } from '../../lib/zone.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Loading } from '../../ui/states.tsx';
import { ZoneField } from '../../ui/zone-field.tsx';
import classes from './report.module.css';

export type ReportSchedule = OperationTypes['listReportSchedules']['result'][number];
export type MailChannel = Pick<OperationTypes['listNotificationChannels']['result'][number], 'id' | 'name'>;

/** What a report is of. */
export interface Target {
  name: string;
  scope: ReportSchedule['scope'];
  scope_id?: number;
}

const NEXT = 3;

/** A blackout of a minute would begin at the same times. */
function NextTimes({ cron, zone }: { cron: string; zone: string }) {
  const times = { cron_expression: cron, timezone: zone, duration_minutes: 1 };
  const preview = useOperation('previewBlackoutSchedule', { body: times }, { keepPrevious: true });
  if (preview.error)
    return (
      <p role="alert" className={classes.fault}>
        {preview.error.message}
      </p>
    );
  if (!preview.data) return <Loading what="the next times" lines={1} />;
  const next = preview.data.occurrences.slice(0, NEXT).map((one) => one.local_start.replace('T', ' '));
  return <p role="status">Next: {next.join(', ')}</p>;
}

function Times({ cron, zone }: { cron: string; zone: string }) {
  const settled: string[] = JSON.parse(useSettled(JSON.stringify([cron.trim(), zone.trim()])));
  const [expression = '', place = ''] = settled;
  return expression === '' || place === '' ? null : <NextTimes cron={expression} zone={place} />;
}

interface Draft {
  name: string;
  cron: string;
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
      cron: '0 8 * * MON',
      zone: zoneName('local'),
      channel: String(first),
      enabled: true,
    };
  const { name, cron_expression: cron, timezone: zone, channel_id, enabled } = schedule;
  return { name, cron, zone, channel: String(channel_id ?? first), enabled };
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending || update.isPending) return;
    const { scope, scope_id } = target;
    const body = {
      ...{ name: draft.name.trim(), scope, enabled: draft.enabled, channel_id: Number(draft.channel) },
      ...{ cron_expression: draft.cron.trim(), timezone: draft.zone.trim() },
      ...(scope_id !== undefined && { scope_id }),
    };
    const done = { onSuccess: onClose };
    if (schedule) update.mutate({ params: { id: schedule.id }, body }, done);
    else create.mutate({ body }, done);
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <p>
        Of: <strong>{target.name}</strong>. It tells of the time since the report before. The recipients of
        the channel read what {schedule ? schedule.owner_username : 'you'} may see when it is sent.
      </p>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextInput
        label="When"
        description="Minute, hour, day of month, month, day of week."
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={draft.cron}
        onChange={(event) => change({ cron: event.target.value })}
      />
      <ZoneField value={draft.zone} onChange={(zone) => change({ zone })} />
      <Times cron={draft.cron} zone={draft.zone} />
      <NativeSelect
        label="Channel"
        data={channels.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={draft.channel}
        onChange={(event) => change({ channel: event.target.value })}
      />
      <Checkbox
        label="Enabled"
        checked={draft.enabled}
        onChange={(event) => change({ enabled: event.target.checked })}
      />
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
