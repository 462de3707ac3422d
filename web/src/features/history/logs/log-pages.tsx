// What is around a page of events: the way to the one before and after, how far a search came, and why there is nothing.
import { Button } from '@mantine/core';
import { momentText } from '../../../lib/zone.ts';
import { StaleIcon } from '../../../ui/icons.ts';
import { EmptyState } from '../../../ui/states.tsx';
import classes from './logs.module.css';

export function Nothing({ chosen, isNarrowed }: { chosen: string; isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <EmptyState icon={<StaleIcon size={26} />} title="No event matches the filters">
        Texts are searched as they are kept, without values. Events that matter are kept for 90 days, all
        others for 7.
      </EmptyState>
    );
  return (
    <EmptyState icon={<StaleIcon size={26} />} title="No texts were kept in this time">
      Texts of events that matter are kept for 90 days, of all others for 7.
      {chosen === '' ? '' : ` None are kept of ${chosen}.`}
    </EmptyState>
  );
}

/** Where a page looked at as much as it may. */
export function SearchedBack({ to, zone }: { to: string | null; zone: string }) {
  if (to === null) return null;
  return (
    <p className={classes.dim}>
      Searched back to {momentText(Date.parse(to), zone)}. Older events are searched with the next page.
    </p>
  );
}

interface PagesProps {
  cursors: readonly string[];
  next: string | null;
  onPage: (cursors: readonly string[]) => void;
}

export function Pages({ cursors, next, onPage }: PagesProps) {
  return (
    <div className={classes.pages}>
      {cursors.length === 0 ? null : (
        <Button variant="default" size="xs" onClick={() => onPage(cursors.slice(0, -1))}>
          Newer events
        </Button>
      )}
      {next === null ? null : (
        <Button variant="default" size="xs" onClick={() => onPage([...cursors, next])}>
          Older events
        </Button>
      )}
    </div>
  );
}
