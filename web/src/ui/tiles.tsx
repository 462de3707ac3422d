// A row of figures, each in a small card: its title, its newest value, of when it is, and its course.
import type { ReactNode } from 'react';
import { Sparkline } from './charts/sparkline.tsx';
import classes from './tiles.module.css';
import { Unknown } from './unknown.tsx';

export interface TileProps {
  title: ReactNode;
  /** Undefined: not known. */
  value: ReactNode | undefined;
  because?: string | undefined;
  isLoading?: boolean;
  detail?: ReactNode;
  values?: readonly (number | null)[] | undefined;
}

export function Tile({ title, value, because, isLoading = false, detail, values }: TileProps) {
  return (
    <div className={classes.tile} title={value === undefined ? because : undefined}>
      <dt className={classes.title}>{title}</dt>
      <dd className={classes.figure}>
        {value ?? (isLoading ? '…' : <Unknown because={because ?? 'Not measured in this time'} />)}
      </dd>
      <dd className={classes.detail}>
        {value === undefined && !isLoading ? (because ?? 'not measured in this time') : detail}
      </dd>
      <dd className={classes.spark}>{values === undefined ? null : <Sparkline values={values} />}</dd>
    </div>
  );
}

export function TileRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <dl className={classes.tiles} aria-label={label}>
      {children}
    </dl>
  );
}
