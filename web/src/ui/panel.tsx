// A titled surface. The heading names the region, so that a screen reader can jump between panels.
import { type ReactNode, useId } from 'react';
import layout from './layout.module.css';
import classes from './panel.module.css';

export interface PanelProps {
  title: string;
  /** A short remark beside the title: a count, a source. */
  note?: ReactNode;
  actions?: ReactNode;
  /** Lets a table reach the edges. */
  flush?: boolean;
  /** What is above says what it is: the heading is for listeners, the remark at the foot, and the list begins higher. */
  isPlain?: boolean;
  children: ReactNode;
}

export function Panel({ title, note, actions, flush = false, isPlain = false, children }: PanelProps) {
  const id = useId();
  const body = <div className={flush ? classes.flush : classes.body}>{children}</div>;
  if (isPlain)
    return (
      <section className={classes.panel} data-plain="" aria-labelledby={id}>
        <h2 id={id} className="visually-hidden">
          {title}
        </h2>
        {body}
        {note === undefined ? null : <div className={classes.foot}>{note}</div>}
      </section>
    );
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id} className={classes.title}>
          {title}
        </h2>
        {note === undefined ? null : <div className={layout.remark}>{note}</div>}
        {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
      </div>
      {body}
    </section>
  );
}
