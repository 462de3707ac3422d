// When a schedule silences: "every Sunday from 02:00 to 04:00 in Europe/Berlin", or under Advanced a cron expression with a length.
import { SegmentedControl, TextInput } from '@mantine/core';
import { typed } from '../../../ui/field.ts';
import forms from '../../../ui/form.module.css';
import layout from '../../../ui/layout.module.css';
import { ZoneField } from '../../../ui/zone-field.tsx';
import classes from './blackouts.module.css';
import { asCron, asWeekly, type ScheduleDraft } from './schedule-words.ts';
import { WeekdayChips } from './weekday-chips.tsx';
import { endsNextDay } from './weekly.ts';

interface FieldsProps {
  draft: ScheduleDraft;
  onChange: (next: Partial<ScheduleDraft>) => void;
}

function WeeklyFields({ draft, onChange }: FieldsProps) {
  const { weekly } = draft;
  const field = (label: string, name: 'from' | 'to', description?: string) => (
    <TextInput
      type="time"
      label={label}
      {...(description === undefined
        ? {}
        : { description, inputWrapperOrder: ['label', 'input', 'description'] })}
      value={weekly[name]}
      onChange={(event) => onChange({ weekly: { ...weekly, [name]: event.target.value } })}
    />
  );
  return (
    <>
      <WeekdayChips days={weekly.days} onDays={(days) => onChange({ weekly: { ...weekly, days } })} />
      <div className={classes.times}>
        {field('From', 'from')}
        {field('To', 'to', endsNextDay(weekly) ? 'On the next day.' : undefined)}
        <div>
          <ZoneField value={draft.timezone} onChange={(timezone) => onChange({ timezone })} />
        </div>
      </div>
    </>
  );
}

function CronFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <div className={layout.pair}>
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of month, month, day of week."
          placeholder="0 2 * * SUN"
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          {...typed(draft.cron_expression, (cron_expression) => onChange({ cron_expression }))}
        />
        <TextInput
          label="Minutes"
          description="How long it lasts, up to a week."
          inputMode="numeric"
          {...typed(draft.duration_minutes, (duration_minutes) => onChange({ duration_minutes }))}
        />
      </div>
      <ZoneField value={draft.timezone} onChange={(timezone) => onChange({ timezone })} />
    </>
  );
}

export function ScheduleTimes({ draft, onChange }: FieldsProps) {
  const weekly = draft.isCron ? asWeekly(draft) : draft;
  return (
    <div className={forms.form}>
      <SegmentedControl
        aria-label="How to say when"
        className={classes.modes}
        value={draft.isCron ? 'cron' : 'weekly'}
        onChange={(value) => onChange((value === 'cron' ? asCron(draft) : weekly) ?? draft)}
        data={[
          { value: 'weekly', label: 'Weekdays', disabled: weekly === undefined },
          { value: 'cron', label: 'Advanced (cron)' },
        ]}
      />
      {draft.isCron ? (
        <CronFields draft={draft} onChange={onChange} />
      ) : (
        <WeeklyFields draft={draft} onChange={onChange} />
      )}
      {weekly === undefined ? (
        <p className={classes.remark}>Weekdays with one window a day cannot express this schedule.</p>
      ) : null}
    </div>
  );
}
