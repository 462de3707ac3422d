// When a report is sent: "monthly on day 1 at 08:00", or by a cron expression, with its next times as the server
// computes them.
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useOperation } from '../../../api/use-operation.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import { Loading } from '../../../ui/states.tsx';
import { ZoneField } from '../../../ui/zone-field.tsx';
import { localWords } from '../../alerting/blackouts/schedule-preview.tsx';
import { WeekdayChips } from '../../alerting/blackouts/weekday-chips.tsx';
import classes from './report.module.css';
import { cronOfTimes, MONTH_DAYS, RHYTHMS, type Rhythm, type SendTimes, withRhythm } from './send-times.ts';

const NEXT = 5;
const RHYTHM_WORDS: Record<Rhythm, string> = {
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
  cron: 'Cron',
};

interface FieldsProps {
  times: SendTimes;
  zone: string;
  onTimes: (times: SendTimes) => void;
  onZone: (zone: string) => void;
}

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
  if (!preview.data) return <Loading what="the next times" lines={NEXT} />;
  return (
    <>
      <p>Next reports</p>
      <ol className={classes.next} aria-label="Next reports">
        {preview.data.occurrences.slice(0, NEXT).map(({ start_time, local_start, utc_offset }) => (
          <li key={start_time}>
            <time dateTime={start_time}>{localWords(local_start)}</time>{' '}
            <span className={classes.remark}>UTC{utc_offset}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Preview({ cron, zone }: { cron: string | undefined; zone: string }) {
  const settled: (string | null)[] = JSON.parse(useSettled(JSON.stringify([cron ?? null, zone.trim()])));
  const [expression, place] = settled;
  return (
    <section className={classes.preview} aria-label="Next times">
      {expression && place ? (
        <NextTimes cron={expression} zone={place} />
      ) : (
        <p className={classes.remark}>
          The next times are shown here when day, time and time zone are complete.
        </p>
      )}
    </section>
  );
}

function Choices({ times, zone, onTimes, onZone }: FieldsProps) {
  const { rhythm, at, days, monthDay } = times;
  return (
    <>
      {rhythm === 'weekly' ? (
        <WeekdayChips days={days} onDays={(next) => onTimes({ ...times, days: next })} />
      ) : null}
      <div className={classes.times}>
        {rhythm === 'monthly' ? (
          <NativeSelect
            label="Day of the month"
            data={MONTH_DAYS.map(String)}
            value={String(monthDay)}
            onChange={(event) => onTimes({ ...times, monthDay: Number(event.target.value) })}
          />
        ) : null}
        <TextInput
          type="time"
          label="At"
          value={at}
          onChange={(event) => onTimes({ ...times, at: event.target.value })}
        />
        <div className={classes.zone}>
          <ZoneField value={zone} onChange={onZone} />
        </div>
      </div>
    </>
  );
}

function CronFields({ times, zone, onTimes, onZone }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Cron expression"
        description="Minute, hour, day of month, month, day of week."
        placeholder="0 8 * * MON"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={times.cron}
        onChange={(event) => onTimes({ ...times, cron: event.target.value })}
      />
      <ZoneField value={zone} onChange={onZone} />
    </>
  );
}

export function SendTimesFields(props: FieldsProps) {
  const { times, zone, onTimes } = props;
  const chosen = (value: string) => RHYTHMS.find((rhythm) => rhythm === value) ?? times.rhythm;
  return (
    <>
      <SegmentedControl
        aria-label="How often"
        className={classes.rhythms}
        value={times.rhythm}
        onChange={(value) => onTimes(withRhythm(times, chosen(value)))}
        data={RHYTHMS.map((rhythm) => ({ value: rhythm, label: RHYTHM_WORDS[rhythm] }))}
      />
      {times.rhythm === 'cron' ? <CronFields {...props} /> : <Choices {...props} />}
      <Preview cron={cronOfTimes(times)} zone={zone} />
    </>
  );
}
