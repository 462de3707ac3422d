// The filters of a list. Where there is little room they open from below, by a button that says how many are set, so that the list
// begins on the first screen.
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router';
import classes from './filters.module.css';

const NARROW = '(max-width: 560px)';
const FilterSheet = lazy(async () => ({ default: (await import('./filter-sheet.tsx')).FilterSheet }));

interface FiltersProps {
  /** As they stand in the address. */
  names: readonly string[];
  children: ReactNode;
}

export function Filters({ names, children }: FiltersProps) {
  const [search] = useSearchParams();
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never');
  const filters = (
    <search className={classes.filters} aria-label="Filters">
      {children}
    </search>
  );
  if (!isNarrow) return filters;
  const set = names.filter((name) => (search.get(name) ?? '') !== '').length;
  return (
    <>
      <Button
        variant="default"
        className={classes.opener}
        aria-haspopup="dialog"
        onClick={() => setState('open')}
      >
        Filters{set === 0 ? null : <span className={classes.set}> · {set} set</span>}
      </Button>
      {state === 'never' ? null : (
        <Suspense fallback={null}>
          <FilterSheet opened={state === 'open'} onClose={() => setState('closed')}>
            {filters}
          </FilterSheet>
        </Suspense>
      )}
    </>
  );
}
