// What the calendars share: the month with the way to others, and what its marks mean.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../../lib/format.ts';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import classes from './calendar.module.css';
import { monthAfter, monthWords } from './month.ts';
import type { Month } from './use-month.ts';

export interface MonthPanelProps {
  month: Month;
  /** Said below it. */
  remark?: string;
  children: () => ReactNode;
}

export function MonthPanel({ month: shown, remark, children }: MonthPanelProps) {
  const { month, setMonth, zone, stored, isCut, plannedFault } = shown;
  const button = (words: string, to: string) => (
    <Button size="compact-sm" variant="default" onClick={() => setMonth(to)}>
      {words}
    </Button>
  );
  const { blackouts = [], total_count = 0 } = stored.data ?? {};
  return (
    <Panel
      title={monthWords(month)}
      note={zone}
      actions={
        <span className={classes.moves}>
          {button('Earlier', monthAfter(month, -1))}
          {button('This month', '')}
          {button('Later', monthAfter(month, 1))}
        </span>
      }
      flush
    >
      <Query query={stored} what="the month" lines={6} padded>
        {children}
      </Query>
      <p className={classes.legend}>
        {plannedFault === undefined
          ? 'Dashed: planned by a schedule.'
          : `What schedules plan could not be read: ${plannedFault}`}
        {isCut ? ' Not all planned times are shown.' : ''}
        {remark === undefined ? '' : ` ${remark}`}
        {total_count > blackouts.length
          ? ` The newest ${formatCount(blackouts.length)} of ${formatCount(total_count)} are shown.`
          : ''}
      </p>
    </Panel>
  );
}
