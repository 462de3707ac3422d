// What is around a page of events: the way to the one before and after, how far a search came, and why there is nothing.
import { Button } from '@mantine/core';
import { momentText } from '../../../lib/zone.ts';
import { StaleIcon } from '../../../ui/icons.ts';
import { EmptyState } from '../../../ui/states.tsx';
import type { Searched } from './found-events.ts';
import classes from './logs.module.css';

interface NothingProps {
  chosen: string;
  isNarrowed: boolean;
  searched: Searched;
  zone: string;
}

function Nothing({ chosen, isNarrowed, searched, zone }: NothingProps) {
  const { isGoing, reached, onFurther } = searched;
  const back = reached === null ? '' : momentText(Date.parse(reached), zone);
  if (isGoing)
    return (
      <p role="status" className={classes.dim}>
        {back === '' ? 'Searching older events …' : `No match back to ${back}. Searching older events …`}
      </p>
    );
  if (back !== '' || onFurther)
    return (
      <EmptyState
        icon={<StaleIcon size={26} />}
        title={back === '' ? 'No match yet' : `No match back to ${back}`}
        action={
          onFurther ? (
            <Button variant="default" size="xs" onClick={onFurther}>
              Search older events
            </Button>
          ) : null
        }
      >
        Older events have not been searched.
      </EmptyState>
    );
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
function SearchedBack({ to, zone }: { to: string | null; zone: string }) {
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

function Pages({ cursors, next, onPage }: PagesProps) {
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

interface BelowProps extends NothingProps {
  page: { events: readonly unknown[]; next_cursor: string | null; searched_back_to: string | null };
  /** Something is above it, which may be what came since. */
  isShown: boolean;
  cursors: readonly string[];
  onPage: (cursors: readonly string[]) => void;
}

/** Below a page: how far back it came, or that there is nothing, and the ways to the pages around it. */
export function Below({ page, isShown, cursors, onPage, ...of }: BelowProps) {
  const { events, next_cursor, searched_back_to } = page;
  if (events.length > 0)
    return (
      <>
        <SearchedBack to={searched_back_to} zone={of.zone} />
        <Pages cursors={cursors} next={next_cursor} onPage={onPage} />
      </>
    );
  return (
    <>
      {isShown && of.searched.reached === null ? null : <Nothing {...of} />}
      <Pages cursors={cursors} next={null} onPage={onPage} />
    </>
  );
}
