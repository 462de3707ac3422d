// The numbers behind a chart: as a table, to copy, and as files, opened by a small (i) beside the legend.
import { ActionIcon } from '@mantine/core';
import { spanText } from '../../lib/zone.ts';
import { CopyButton } from '../copy-button.tsx';
import { download, fileName } from '../download.ts';
import { InfoIcon } from '../icons.ts';
import { Unknown } from '../unknown.tsx';
import classes from './chart.module.css';
import { useChartPage } from './chart-page.tsx';
import { pictureOf } from './picture.ts';
import { type ChartSeries, csvOf, type Level, labelOf, tableOf } from './series.ts';
import { formatValue } from './values.ts';

export interface ChartNumbersProps {
  id: string;
  title: string;
  unit: string;
  series: readonly ChartSeries[];
  /** As they are drawn, where that is not the same. */
  lines: readonly ChartSeries[];
  level?: Level | undefined;
}

function Numbers({ title, unit, series }: Pick<ChartNumbersProps, 'title' | 'unit' | 'series'>) {
  const { grid, zone } = useChartPage();
  const rows = tableOf(series, grid);
  if (rows.length === 0) return <p className={classes.missing}>Nothing was measured in this time.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to with keys as well
    <section className={classes.scroll} aria-label={`Numbers of ${title}`} tabIndex={0}>
      <table className={classes.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time ({zone})</th>
            {series.map((one) => (
              <th key={one.name} scope="col">
                {labelOf(one)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ from, to, values }) => (
            <tr key={from}>
              <th scope="row">{spanText(from, to, zone)}</th>
              {values.map((value, index) => (
                <td key={series[index]?.name}>
                  {formatValue(value, unit) ?? <Unknown because="Not measured" />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface NumbersButtonProps {
  title: string;
  /** The id of what it opens. */
  opens: string;
  isOpen: boolean;
  onToggle: () => void;
}

export function NumbersButton({ title, opens, isOpen, onToggle }: NumbersButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      size={24}
      aria-label={`Numbers and meaning of ${title}`}
      title="Numbers and meaning"
      aria-expanded={isOpen}
      aria-controls={isOpen ? opens : undefined}
      onClick={onToggle}
    >
      <InfoIcon size={16} />
    </ActionIcon>
  );
}

export function ChartNumbers({ id, title, unit, series, lines, level }: ChartNumbersProps) {
  const { grid, zone } = useChartPage();
  const savePicture = async () => {
    const picture = await pictureOf({ title, unit, series: lines, grid, zone, level });
    if (picture) download(picture, fileName(title, grid, 'png'));
  };
  const saveTable = () => {
    const table = new Blob([csvOf(series, grid)], { type: 'text/csv' });
    download(table, fileName(title, grid, 'csv'));
  };
  return (
    <div className={classes.numbers} id={id}>
      <div className={classes.exports}>
        <CopyButton text={csvOf(series, grid, '\t')} />
        <button type="button" className={classes.export} onClick={saveTable}>
          Save as CSV
        </button>
        <button type="button" className={classes.export} onClick={() => void savePicture()}>
          Save as PNG
        </button>
      </div>
      <dl className={classes.meanings}>
        {series.map(({ name, label, description }) =>
          description === undefined ? null : (
            <div key={name}>
              <dt>{label === undefined ? name : `${label} (${name})`}</dt>
              <dd>{description}</dd>
            </div>
          ),
        )}
      </dl>
      <Numbers title={title} unit={unit} series={series} />
    </div>
  );
}
