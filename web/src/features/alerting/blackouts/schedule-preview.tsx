// A schedule in words and its next five times in its own zone, as the server computes them, before it is saved.
import { useOperation } from '../../../api/use-operation.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import forms from '../../../ui/form.module.css';
import { Loading } from '../../../ui/states.tsx';
import classes from './blackouts.module.css';
import type { CronTimes } from './weekly.ts';

const SHOWN = 5;

/** "Sun 29 Mar 2026 03:00". */
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
export const localWords = (local: string) => {
  const [date = '', hour = ''] = local.split('T');
  return `${day.format(Date.parse(`${date}T00:00:00Z`)).replace(',', '')} ${hour}`;
};

/** "Sun 29 Mar 2026 03:00 – 05:00"; the day twice only where it changes. */
const windowWords = (start: string, end: string) =>
  `${localWords(start)} – ${start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : localWords(end)}`;

function Next({ times }: { times: CronTimes & { timezone: string } }) {
  const preview = useOperation('previewBlackoutSchedule', { body: times }, { keepPrevious: true });
  if (preview.error)
    return (
      <p role="alert" className={forms.fault}>
        {preview.error.message}
      </p>
    );
  if (!preview.data) return <Loading what="the next times" lines={3} />;
  const { in_words, occurrences } = preview.data;
  return (
    <>
      <p className={classes.words} role="status">
        {in_words}
      </p>
      <ol className={classes.next} aria-label="Next times">
        {occurrences
          .slice(0, SHOWN)
          .map(({ start_time, local_start, local_end, utc_offset, shift, note }) => (
            <li key={start_time} data-shift={shift ?? undefined}>
              <time dateTime={start_time}>{windowWords(local_start, local_end)}</time>{' '}
              <span className={classes.remark}>UTC{utc_offset}</span>
              {note === null ? null : <span className={classes.note}>{note}</span>}
            </li>
          ))}
      </ol>
    </>
  );
}

interface PreviewProps {
  /** Undefined: something is missing. */
  times: CronTimes | undefined;
  timezone: string;
}

export function SchedulePreview({ times, timezone }: PreviewProps) {
  const settled = useSettled(JSON.stringify([times ?? null, timezone.trim()]));
  const [cron, zone = '']: [CronTimes | null, string?] = JSON.parse(settled);
  return (
    <section className={classes.preview} aria-label="Preview">
      {cron === null ? (
        <p className={classes.remark}>The next times are shown here when weekdays and times are complete.</p>
      ) : (
        <Next times={{ ...cron, timezone: zone || 'UTC' }} />
      )}
    </section>
  );
}
