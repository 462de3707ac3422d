// The top of every page: what it is, one line of facts, what can be done. Sets the document's title too.
import { type ReactNode, use } from 'react';
import classes from './page-header.module.css';
import { TitleCount } from './title-count.ts';

export interface PageHeaderProps {
  title: string;
  /** A mark in front of the title. */
  mark?: ReactNode;
  facts?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, mark, facts, actions }: PageHeaderProps) {
  const count = use(TitleCount);
  return (
    <header className={classes.header}>
      <title>{`${count > 0 ? `(${count}) ` : ''}${title} · Matriarch`}</title>
      <div className={classes.words}>
        <h1 className={classes.title}>
          {mark}
          <span className={classes.name}>{title}</span>
        </h1>
        {facts === undefined ? null : <div className={classes.facts}>{facts}</div>}
      </div>
      {actions === undefined ? null : <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
