// The settings that decide most, with values as people say them and as the server keeps them.
import type { KeySetting } from '../../../api/types.ts';
import { humanSetting, rawSetting } from '../../../lib/setting-value.ts';
import { parseSort, sortText } from '../../../lib/sort.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { UnknownIcon } from '../../../ui/icons.ts';
import { Identifier } from '../../../ui/identifier.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ReadAt } from '../../../ui/read-at.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import classes from './settings.module.css';

interface Row extends KeySetting {
  position: number;
}

const AS_LISTED = { key: 'position', descending: false };

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'name',
    title: 'Setting',
    value: (row) => row.name,
    render: (row) => (
      <span className={classes.name}>
        <Identifier>{row.name}</Identifier>
      </span>
    ),
  },
  {
    key: 'value',
    title: 'Value',
    render: (row) => <span className={classes.value}>{humanSetting(row) ?? <Unknown />}</span>,
  },
  {
    key: 'raw',
    title: 'As the server keeps it',
    needs: 'medium',
    render: (row) => <span className={classes.raw}>{rawSetting(row)}</span>,
  },
  {
    key: 'category',
    title: 'Category',
    value: (row) => row.category,
    needs: 'medium',
    render: (row) => row.category ?? <Unknown />,
  },
];

interface KeySettingsProps {
  settings: readonly KeySetting[];
  /** When they were read. */
  at: string | null | undefined;
}

export function KeySettings({ settings, at }: KeySettingsProps) {
  const [sort, setSort] = useUrlText('key_sort');
  const rows = settings.map((setting, position) => ({ ...setting, position }));
  return (
    <Panel title="Key settings" note={<ReadAt at={at} before="the sixteen that decide most" />} flush>
      {rows.length === 0 ? (
        <EmptyState icon={<UnknownIcon size={26} />} title="No setting was collected yet">
          Settings are read within the first minute. Coverage says when, and what prevents it.
        </EmptyState>
      ) : (
        <DataTable
          caption="Key settings"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.name}
          sort={parseSort(sort, ['name', 'category'], AS_LISTED)}
          onSort={(next) => setSort(sortText(next))}
          ties={[(row) => row.position]}
        />
      )}
    </Panel>
  );
}
