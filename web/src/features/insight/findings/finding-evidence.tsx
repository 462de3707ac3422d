// What a finding rests on: values by the names of their columns, and the rows behind them. Guards: all of it are texts of a
// server, shown as text and nothing else.
import { KeyValues } from '../../../ui/key-values.tsx';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { evidenceName, evidenceText, type FindingDetail } from './finding-words.ts';
import classes from './findings.module.css';

type Row = FindingDetail['evidence_rows'][number];

/** In the order in which they come first. */
const columnsOf = (rows: readonly Row[]): string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))];

const isNumber = (rows: readonly Row[], column: string) =>
  rows.every((row) => row[column] === null || row[column] === undefined || typeof row[column] === 'number');

function Rows({ rows }: { rows: readonly Row[] }) {
  const columns = columnsOf(rows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section className={classes.scroll} aria-label="Rows behind it" tabIndex={0}>
      <table className={classes.rows}>
        <caption className="visually-hidden">Rows behind the finding</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" data-align={isNumber(rows, column) ? 'end' : undefined}>
                {evidenceName(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of one reading never change places
            <tr key={at}>
              {columns.map((column) => {
                const text = evidenceText(column, row[column]);
                return (
                  <td key={column} data-align={isNumber(rows, column) ? 'end' : undefined}>
                    {text === undefined ? <Unknown /> : <Name>{text}</Name>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function FindingEvidence({ detail }: { detail: FindingDetail }) {
  const { evidence, evidence_rows: rows, counted_since, finding } = detail;
  const items = Object.entries(evidence).map(([name, value]) => {
    const text = evidenceText(name, value);
    return { name: evidenceName(name), value: text === undefined ? null : <Name>{text}</Name> };
  });
  return (
    <Panel
      title="Evidence"
      note={
        <>
          <ReadAt at={finding.figured_at} before="as the server says" />
          {counted_since === null ? null : (
            <>
              , counted since <RelativeTime at={counted_since} />
            </>
          )}
        </>
      }
    >
      {items.length === 0 && rows.length === 0 ? (
        <p className={classes.remark}>The sentence above says all that was read.</p>
      ) : null}
      {items.length > 0 ? <KeyValues items={items} wide /> : null}
      {rows.length > 0 ? <Rows rows={rows} /> : null}
    </Panel>
  );
}
