// Cells that tables of objects share. What is not known is a dash with its reason, never a zero.
import { formatBytes, formatCount, formatShare } from '../../../lib/format.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './objects.module.css';
import { hitPercent, numberOf, type Row, textOf } from './rows.ts';

/** A name with where it is. */
export function ObjectName({ name, place }: { name: string | null; place: readonly (string | null)[] }) {
  return (
    <div className={classes.object}>
      <bdi className={classes.name} title={name ?? undefined}>
        {name ?? <Unknown />}
      </bdi>
      <div className={classes.place}>
        <bdi>{place.filter((part) => part !== null).join(' · ')}</bdi>
      </div>
    </div>
  );
}

export function Size({ bytes, because }: { bytes: number | null; because: string }) {
  if (bytes === null) return <Unknown because={because} />;
  return <span title={`${formatCount(bytes)} bytes`}>{formatBytes(bytes)}</span>;
}

/** Of when a figure is that the server itself brings up to date only now and then. */
export const AsOf = ({ at }: { at: string | null }) => (
  <span className={classes.before}>
    {at === null ? (
      <span title="PostgreSQL does not say when it measured this">
        age unknown<span className="visually-hidden">: PostgreSQL does not say when it measured this</span>
      </span>
    ) : (
      <>
        as of <RelativeTime at={at} />
      </>
    )}
  </span>
);

const Percent = ({ percent, because }: { percent: number | null; because: string }) =>
  percent === null ? <Unknown because={because} /> : formatShare(percent);

export const When = ({ at, because }: { at: string | null; because: string }) =>
  at === null ? <Unknown because={because} /> : <RelativeTime at={at} />;

type Details = Pick<Column<Row>, 'title'> & Partial<Column<Row>>;

/** A column that counts something; the largest first. */
export const countColumn = (key: string, column: Details): Column<Row> => ({
  key,
  align: 'end',
  value: (row) => numberOf(row, key),
  descendingFirst: true,
  render: (row) => {
    const count = numberOf(row, key);
    return count === null ? (
      <Unknown />
    ) : (
      <span title={formatCount(count)}>{formatValue(count, 'count')}</span>
    );
  },
  ...column,
});

/** A column of texts that is sorted by. */
export const nameColumn = (key: string, column: Details & Pick<Column<Row>, 'render'>): Column<Row> => ({
  key,
  width: 'grow',
  value: (row) => textOf(row, key),
  ...column,
});

/** A column of the blocks that were found in shared buffers, of those that the server counts as `<blocks>_hit` and `<blocks>_read`. */
export const hitColumn = (blocks: string, hint: string): Column<Row> => ({
  key: 'hit',
  title: 'Cache hit',
  hint,
  align: 'end',
  needs: 'wide',
  render: (row) => (
    <Percent
      percent={hitPercent(row, `${blocks}_hit`, `${blocks}_read`)}
      because="No block of it was needed"
    />
  ),
});
