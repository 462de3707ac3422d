// Below the runway, and folded: of what nothing is known, with each reason once.
import { useMemo } from 'react';
import { countOf } from '../../../lib/format.ts';
import { Name } from '../../../ui/name.tsx';
import classes from './runway.module.css';
import { notCollected, type RunwayItem } from './runway-words.ts';

/** As many items without a value are shown without a click. */
const MOST_OPEN = 12;

export function NotCollected({ items }: { items: readonly RunwayItem[] }) {
  const reasons = useMemo(() => notCollected(items), [items]);
  if (reasons.length === 0) return null;
  const count = reasons.reduce((sum, { places }) => sum + places.length, 0);
  return (
    <details className={classes.folded} open={count <= MOST_OPEN}>
      <summary>{countOf(count, 'item')} without a value, and why</summary>
      <ul>
        {reasons.map(({ reason, places }) => (
          <li key={reason}>
            {reason}
            <p className={classes.more}>
              <Name>{places.join(' · ')}</Name>
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
