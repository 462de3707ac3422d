// A line that is worth knowing but does not stop anybody: stale facts, a missing password, an error of a form.
import type { ReactNode } from 'react';
import classes from './notice.module.css';

export interface NoticeProps {
  tone: 'info' | 'warn' | 'bad';
  icon?: ReactNode;
  action?: ReactNode;
  role?: 'alert' | 'status';
  children: ReactNode;
}

export function Notice({ tone, icon, action, role, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone} role={role}>
      {icon === undefined ? null : (
        <span className={classes.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <div className={classes.text}>{children}</div>
      {action}
    </div>
  );
}
