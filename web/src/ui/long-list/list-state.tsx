// How many rows a long list has and of when they are, above it. Figures of later wait until the reader asks for them; what
// could not be read is said while what was read before stays.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/client.ts';
import { countOf } from '../../lib/format.ts';
import classes from './list-state.module.css';
import type { HeldWindow } from './use-held-window.ts';

export interface ListStateProps {
  count: number;
  /** What a row is, and several of them. */
  words: readonly [string, string];
  held: HeldWindow;
  failed: ApiError | null;
  onRetry: () => void;
  /** Of when the rows are. */
  children: ReactNode;
}

export function ListState({ count, words, held, failed, onRetry, children }: ListStateProps) {
  const { isBehind, renew } = held;
  return (
    <div className={classes.state}>
      <span role="status">{countOf(count, ...words)}</span>
      {children}
      {isBehind ? (
        <Button size="compact-xs" variant="default" onClick={renew}>
          Show up to now
        </Button>
      ) : null}
      {failed ? (
        <span role="alert" className={classes.failed}>
          Not all could be loaded: {failed.message}{' '}
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </span>
      ) : null}
    </div>
  );
}
