// What a panel shows when it has nothing to show: each state looks and reads differently, says why, and offers the
// next step. A person is never left with a blank or a spinner without an end.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ApiError, isOutage } from '../api/client.ts';
import { NoPermissionIcon, OutageIcon, RetryIcon, WarningIcon } from './icons.ts';
import classes from './states.module.css';

interface StateProps {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  tone?: 'quiet' | 'bad';
  role?: 'alert' | 'status';
}

function State({ icon, title, children, action, tone = 'quiet', role }: StateProps) {
  return (
    <div className={classes.state} data-tone={tone} role={role}>
      <div className={classes.icon} aria-hidden="true">
        {icon}
      </div>
      <p className={classes.title}>{title}</p>
      {children === undefined ? null : <div className={classes.text}>{children}</div>}
      {action}
    </div>
  );
}

/** Nothing is there, for a reason that is named. */
export function EmptyState(props: {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return <State {...props} />;
}

export function NoPermissionState({ what }: { what: string }) {
  return (
    <State icon={<NoPermissionIcon size={26} />} title={`You may not see ${what}`}>
      It does not exist, or it was not shared with you. Its owner or an administrator can give you access.
    </State>
  );
}

/** Something can be seen but not done, for lack of a right that is named. */
export function MissingRightState({ what, children }: { what: string; children: ReactNode }) {
  return (
    <State icon={<NoPermissionIcon size={26} />} title={`You may not ${what}`}>
      {children}
    </State>
  );
}

export interface ErrorStateProps {
  error: ApiError;
  what: string;
  onRetry: () => void;
}

export function ErrorState({ error, what, onRetry }: ErrorStateProps) {
  if (error.status === 403) return <NoPermissionState what={what} />;
  return (
    <State
      tone="bad"
      role="alert"
      icon={isOutage(error) ? <OutageIcon size={26} /> : <WarningIcon size={26} />}
      title={error.status === 0 ? 'Matriarch does not answer' : `Could not load ${what}`}
      action={
        <Button variant="default" size="xs" leftSection={<RetryIcon size={14} />} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {error.message}
      {isOutage(error) ? ' This page tries again by itself.' : null}
      <RequestId error={error} />
    </State>
  );
}

/** The id under which the server's log tells more. */
export function RequestId({ error }: { error: ApiError }) {
  if (error.requestId === undefined) return null;
  return (
    <span className={classes.request}>
      Request <code>{error.requestId}</code>
    </span>
  );
}

/** Grey bars in the shape of what is coming; said once to those who listen. */
export function Loading({ what, lines = 4 }: { what: string; lines?: number }) {
  return (
    <div role="status" className={classes.loading}>
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
        <div key={line} className={classes.bar} data-line={line % 4} />
      ))}
    </div>
  );
}
