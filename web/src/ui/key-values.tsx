// Names and values in two columns that line up, as a description list.
import type { ReactNode } from 'react';
import classes from './key-values.module.css';
import { Unknown } from './unknown.tsx';

export interface KeyValue {
  name: string;
  /** Null or undefined is shown as not known. */
  value: ReactNode;
  /** Where the value comes from, or what it means, in small letters under it. */
  detail?: ReactNode;
  /** Takes the whole width where the list has two columns. */
  whole?: boolean;
}

export function KeyValues({ items, wide = false }: { items: readonly KeyValue[]; wide?: boolean }) {
  return (
    <dl className={classes.list} data-wide={wide || undefined}>
      {items.map((item) => (
        <div key={item.name} className={classes.row} data-whole={item.whole || undefined}>
          <dt className={classes.name}>{item.name}</dt>
          <dd className={classes.value}>
            {item.value ?? <Unknown />}
            {item.detail ? <div className={classes.detail}>{item.detail}</div> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
