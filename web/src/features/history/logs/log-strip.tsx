// What the log counted, in a low frame above the events: bars over time to choose a window in, their classes as chips that narrow the events,
// and all figures on demand.
import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { formatCount, formatDuration } from '../../../lib/format.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { lookOfSeries } from '../../../ui/charts/looks.ts';
import type { ChartSeries } from '../../../ui/charts/series.ts';
import chips from '../../../ui/chips.module.css';
import layout from '../../../ui/layout.module.css';
import classes from './log-strip.module.css';
import { DRAWN, type LogCounts } from './logs-words.ts';

interface LogStripProps {
  counts: Pick<LogCounts, 'bucket_seconds' | 'classes'>;
  series: readonly ChartSeries[];
  /** How many there are. */
  note: string;
  /** The class that is shown alone; empty: all. */
  chosen: string;
  onClass: (name: string) => void;
  /** Names the button for all figures. */
  more: string;
  /** Further chips, as a row of their own. */
  row?: ReactNode;
  /** All figures. */
  children: ReactNode;
}

export function LogStrip({ counts, series, note, chosen, onClass, more, row, children }: LogStripProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <section className={classes.strip} aria-label="Log events">
        <Chart title="Log events" unit="" series={series} isStacked isStrip />
        <div className={classes.line}>
          <fieldset className={`${chips.chips} ${classes.row}`}>
            <legend className="visually-hidden">Show one class</legend>
            {counts.classes.slice(0, DRAWN).map(({ class: name, title, meaning, events }, index) => (
              <button
                key={name}
                type="button"
                className={chips.chip}
                title={meaning}
                aria-pressed={chosen === name}
                onClick={() => onClass(chosen === name ? '' : name)}
              >
                <svg width={9} height={9} aria-hidden="true">
                  <rect
                    width={9}
                    height={9}
                    rx={2}
                    fill={`var(${lookOfSeries(series[index] ?? {}, index).colour})`}
                  />
                </svg>{' '}
                {title} <strong>{formatCount(events)}</strong>
              </button>
            ))}
          </fieldset>
          <span className={layout.remark}>
            {note}, counted every {formatDuration(counts.bucket_seconds)}
          </span>
          <Button
            variant="default"
            size="compact-xs"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {more}
          </Button>
        </div>
        {row}
      </section>
      {isOpen ? (
        <div id={id} className={layout.stack}>
          {children}
        </div>
      ) : null}
    </>
  );
}

/** One line, which scrolls where it is longer than the page is wide. */
export function ChipRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={`${chips.chips} ${classes.row} ${classes.list}`} aria-label={label}>
      {children}
    </ul>
  );
}
