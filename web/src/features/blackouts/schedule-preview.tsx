// A schedule in words and its next times in its own zone, as Matriarch understands it before it is saved.
import { useOperation } from '../../api/use-operation.ts';
import { useSettled } from '../../lib/use-settled.ts';
import { Loading } from '../../ui/states.tsx';
import { minutesOf, type ScheduleDraft } from './blackout-words.ts';
import classes from './blackouts.module.css';

type Times = Pick<ScheduleDraft, 'cron_expression' | 'timezone' | 'duration_minutes'>;

/** "Sun 29 Mar 2026 03:00". */
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const localWords = (local: string) => {
  const [date = '', hour = ''] = local.split('T');
  return `${day.format(Date.parse(`${date}T00:00:00Z`)).replace(',', '')} ${hour}`;
};

function Next({ times }: { times: { cron_expression: string; timezone: string; duration_minutes: number } }) {
  const preview = useOperation('previewBlackoutSchedule', { body: times }, { keepPrevious: true });
  if (preview.error)
    return (
      <p role="alert" className={classes.fault}>
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
        {occurrences.map(({ start_time, local_start, utc_offset, shift, note }) => (
          <li key={start_time} data-shift={shift ?? undefined}>
            <time dateTime={start_time}>{localWords(local_start)}</time>{' '}
            <span className={classes.remark}>UTC{utc_offset}</span>
            {note === null ? null : <span className={classes.note}>{note}</span>}
          </li>
        ))}
      </ol>
    </>
  );
}

export function SchedulePreview({ cron_expression, timezone, duration_minutes }: Times) {
  const settled = useSettled(JSON.stringify([cron_expression.trim(), timezone.trim(), duration_minutes]));
  const [cron = '', zone = '', length = '']: string[] = JSON.parse(settled);
  const minutes = minutesOf(length);
  return (
    <section className={classes.preview} aria-label="Preview">
      {cron === '' || minutes === undefined ? (
        <p className={classes.remark}>The next times stand here once it says when and for how long.</p>
      ) : (
        <Next times={{ cron_expression: cron, timezone: zone || 'UTC', duration_minutes: minutes }} />
      )}
    </section>
  );
}
