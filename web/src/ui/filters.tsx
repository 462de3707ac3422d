// The filters of a list. Where there is little room they are folded, with how many are set, so that the list begins on the first
// screen.
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import classes from './filters.module.css';

const NARROW = '(max-width: 560px)';

interface FiltersProps {
  /** As they stand in the address. */
  names: readonly string[];
  children: ReactNode;
}

export function Filters({ names, children }: FiltersProps) {
  const [search] = useSearchParams();
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const filters = (
    <search className={classes.filters} aria-label="Filters">
      {children}
    </search>
  );
  if (!isNarrow) return filters;
  const set = names.filter((name) => (search.get(name) ?? '') !== '').length;
  return (
    <details className={classes.sheet}>
      <summary>Filters{set === 0 ? null : <span className={classes.set}> · {set} set</span>}</summary>
      {filters}
    </details>
  );
}
