// Leads through a list of which a part is shown at a time.
import { Button } from '@mantine/core';
import { countOf, formatCount } from '../lib/format.ts';
import classes from './pager.module.css';

export interface PagerProps {
  /** From 1. */
  page: number;
  size: number;
  /** Of all that match. */
  total: number;
  /** What is counted: "statement". */
  one: string;
  /** Several of them, where that is not just with an s. */
  many?: string;
  onPage: (page: number) => void;
}

export function Pager({ page, size, total, one, many = `${one}s`, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size));
  const first = (page - 1) * size + 1;
  const part =
    first > total
      ? `none of ${countOf(total, one, many)} here`
      : `${formatCount(first)}–${formatCount(Math.min(total, page * size))} of ${countOf(total, one, many)}`;
  return (
    <div className={classes.pager}>
      <span role="status">{part}</span>
      {last > 1 || page > 1 ? (
        <span className={classes.buttons}>
          <Button
            size="xs"
            variant="default"
            disabled={page <= 1}
            onClick={() => onPage(Math.min(last, page - 1))}
          >
            Previous
          </Button>
          <Button size="xs" variant="default" disabled={page >= last} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </span>
      ) : null}
    </div>
  );
}
