// Databases with what they weigh, what they carry, and what a model believes they are for.

import type { ServerDatabase } from '../../../api/types.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf, formatBytes, formatCount, percentOf } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { AiIcon, DatabaseIcon } from '../../../ui/icons.ts';
import { Meter } from '../../../ui/meter.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { AiRemark } from './ai-remark.tsx';
import classes from './databases-panel.module.css';

interface Row extends ServerDatabase {
  description: string | undefined;
  /** Of the largest database, 0–100. */
  share: number | null;
}

const LARGEST_FIRST = { key: 'size', descending: true };
/** More names than this are cut; the extensions tab has them all. */
const NAMES_SHOWN = 6;

function Description({ text }: { text: string }) {
  return (
    <p className={classes.description}>
      <span
        className={classes.model}
        title="Described by a language model, from names, sizes and extensions only"
      >
        <AiIcon size={13} aria-hidden="true" />
        <span className="visually-hidden">Described by a language model: </span>
      </span>
      {text}
    </p>
  );
}

function Extensions({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <Unknown because="No extension known" />;
  const rest = names.length - NAMES_SHOWN;
  return (
    <ul className={classes.chips}>
      {names.slice(0, NAMES_SHOWN).map((name) => (
        <li key={name} className={classes.chip}>
          {name}
        </li>
      ))}
      {rest > 0 ? (
        <li className={classes.rest} title={names.slice(NAMES_SHOWN).join(', ')}>
          {rest} more
        </li>
      ) : null}
    </ul>
  );
}

function Size({ row }: { row: Row }) {
  if (row.size_bytes === null) return <Unknown because="The role may not read the size" />;
  return (
    <div className={classes.size}>
      <span title={`${formatCount(row.size_bytes)} bytes`}>{formatBytes(row.size_bytes)}</span>
      <Meter percent={row.share ?? 0} />
    </div>
  );
}

function limitText(limit: number | null): string | null {
  if (limit === null) return null;
  return limit < 0 ? 'none' : formatCount(limit);
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Database',
    value: (row) => row.name,
    width: 'grow',
    render: (row) => (
      <div className={classes.name}>
        <span className={classes.title}>{row.name}</span>
        {row.description === undefined ? null : <Description text={row.description} />}
      </div>
    ),
  },
  {
    key: 'size',
    title: 'Size',
    value: (row) => row.size_bytes,
    descendingFirst: true,
    width: 'middle',
    render: (row) => <Size row={row} />,
  },
  {
    key: 'encoding',
    title: 'Encoding',
    value: (row) => row.encoding,
    needs: 'medium',
    width: 'min',
    render: (row) => row.encoding ?? <Unknown />,
  },
  {
    key: 'limit',
    title: 'Connection limit',
    hint: 'Connections allowed to this database',
    align: 'end',
    value: (row) => row.connection_limit,
    descendingFirst: true,
    needs: 'wide',
    width: 'min',
    render: (row) => limitText(row.connection_limit) ?? <Unknown />,
  },
  {
    key: 'extensions',
    title: 'Extensions',
    needs: 'medium',
    width: 'half',
    render: (row) => <Extensions names={row.extensions} />,
  },
];
const SORT_KEYS = COLUMNS.filter((column) => column.value).map((column) => column.key);

function useAnalysis(id: number) {
  const capabilities = useOperation('getCapabilities', {}, { staleMs: 60_000 });
  const enabled = capabilities.data?.ai_enabled;
  const analysis = useOperation(
    'getServerAiAnalysis',
    { params: { connection_id: id } },
    { enabled: enabled === true, staleMs: 300_000 },
  );
  return { enabled, analysis };
}

export interface DatabasesPanelProps {
  id: number;
  databases: readonly ServerDatabase[];
  /** When they were read. */
  at: string | null | undefined;
}

export function DatabasesPanel({ id, databases, at }: DatabasesPanelProps) {
  const [sort, setSort] = useUrlText('sort');
  const { enabled, analysis } = useAnalysis(id);
  const largest = databases.reduce((most, one) => Math.max(most, one.size_bytes ?? 0), 0);
  const described = new Map(Object.entries(analysis.data?.databases ?? {}));
  const rows = databases.map((one) => ({
    ...one,
    description: described.get(one.name),
    share: percentOf(one.size_bytes, largest),
  }));
  const made = analysis.data?.generated_at;
  return (
    <Panel
      title="Encoding, limits and extensions"
      note={
        <>
          <ReadAt at={at} before={countOf(databases.length, 'database')} />
          {made ? (
            <>
              , described by a language model <RelativeTime at={made} />
            </>
          ) : null}
        </>
      }
      flush
    >
      {databases.length === 0 ? (
        <EmptyState icon={<DatabaseIcon size={26} />} title="No database is known">
          The list was not collected yet, or the role may not read it. Coverage says which.
        </EmptyState>
      ) : (
        <DataTable
          caption="Encoding, limits and extensions of databases"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.name}
          sort={parseSort(sort, SORT_KEYS, LARGEST_FIRST)}
          onSort={(next) => setSort(sortText(next) === '-size' ? '' : sortText(next))}
          ties={[(row) => row.name]}
        />
      )}
      <AiRemark enabled={enabled} pending={analysis.isLoading} error={analysis.error} />
    </Panel>
  );
}
