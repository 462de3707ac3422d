// Extensions of every database that could be visited.
import type { ServerInfo } from '../../../api/types.ts';
import { countOf } from '../../../lib/format.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { UnknownIcon } from '../../../ui/icons.ts';
import { Panel } from '../../../ui/panel.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './extensions-view.module.css';

type Extension = ServerInfo['extensions'][number];

const COLUMNS: readonly Column<Extension>[] = [
  {
    key: 'name',
    title: 'Extension',
    value: (row) => row.name,
    render: (row) => <span className={classes.value}>{row.name}</span>,
  },
  {
    key: 'version',
    title: 'Version',
    value: (row) => row.version,
    render: (row) => row.version ?? <Unknown />,
  },
  {
    key: 'schema',
    title: 'Schema',
    value: (row) => row.schema,
    needs: 'medium',
    render: (row) => row.schema ?? <Unknown />,
  },
  { key: 'database', title: 'Database', value: (row) => row.database, render: (row) => row.database },
];
const SORT_KEYS = COLUMNS.map((column) => column.key);

export interface ExtensionsViewProps {
  extensions: readonly Extension[];
  /** When they were read. */
  at: string | null | undefined;
}

export function ExtensionsView({ extensions, at }: ExtensionsViewProps) {
  const [sort, setSort] = useUrlText('sort');
  const databases = new Set(extensions.map((one) => one.database)).size;
  return (
    <Panel title="Extensions" note={<ReadAt at={at} before={`in ${countOf(databases, 'database')}`} />} flush>
      {extensions.length === 0 ? (
        <EmptyState icon={<UnknownIcon size={26} />} title="No extension is known">
          They are read from every database that the role may connect to. Coverage lists those it may not.
        </EmptyState>
      ) : (
        <DataTable
          caption="Extensions by database"
          columns={COLUMNS}
          rows={extensions}
          rowKey={(row) => `${row.database}\n${row.name}`}
          sort={parseSort(sort, SORT_KEYS, { key: 'name', descending: false })}
          onSort={(next) => setSort(sortText(next) === 'name' ? '' : sortText(next))}
          ties={[(row) => row.name, (row) => row.database]}
        />
      )}
    </Panel>
  );
}
