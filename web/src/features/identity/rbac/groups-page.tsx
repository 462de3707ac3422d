// The groups that grants are given to.
import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { AddIcon, GroupIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { SearchedTable } from '../../../ui/searched-table.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { GroupDialog } from './group-dialog.tsx';
import classes from './rbac.module.css';
import type { Group } from './types.ts';

const COLUMNS: readonly Column<Group>[] = [
  {
    key: 'group',
    title: 'Group',
    width: 'grow',
    value: (row) => row.name,
    render: (row) => (
      <div className={layout.cell}>
        <Link data-row-link className={`${classes.name} ${classes.open}`} to={`/admin/groups/${row.id}`}>
          <Name>{row.name}</Name>
        </Link>
        {row.description ? (
          <div className={classes.under}>
            <Name oneLine>{row.description}</Name>
          </div>
        ) : null}
      </div>
    ),
  },
  {
    key: 'members',
    title: 'Members',
    align: 'end',
    width: 'small',
    descendingFirst: true,
    value: (row) => row.member_count,
    render: (row) => row.member_count,
  },
  {
    key: 'above',
    title: 'Member of',
    hint: 'It has all that these groups are granted',
    needs: 'medium',
    width: 'half',
    value: (row) => (row.member_of.length === 0 ? null : row.member_of.join(', ')),
    render: (row) =>
      row.member_of.length === 0 ? (
        <span className={classes.remark}>none</span>
      ) : (
        <Name>{row.member_of.join(', ')}</Name>
      ),
  },
  {
    key: 'second_factor',
    title: 'Second factor',
    hint: 'Whether members must have one to use their session',
    needs: 'wide',
    width: 'small',
    value: (row) => (row.requires_second_factor ? 'required' : null),
    render: (row) => (row.requires_second_factor ? 'required' : <span className={classes.remark}>no</span>),
  },
  {
    key: 'created',
    title: 'Created',
    needs: 'medium',
    width: 'small',
    descendingFirst: true,
    value: (row) => Date.parse(row.created_at),
    render: (row) => <RelativeTime at={row.created_at} />,
  },
];

export function GroupsPage() {
  const mayAdd = mayUse(useUser().data, 'manage_groups');
  const groups = useOperation('listGroups', {});
  const [adding, setAdding] = useState(false);
  const addBy = (look: Pick<ButtonProps, 'size' | 'variant'> = {}) => (
    <Button leftSection={<AddIcon size={16} />} {...look} onClick={() => setAdding(true)}>
      Add a group
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Groups"
        facts={groups.data ? countOf(groups.data.groups.length, 'group') : '\u00a0'}
        actions={mayAdd ? addBy() : undefined}
      />
      <SearchedTable
        one="group"
        many="groups"
        query={groups}
        rows={groups.data?.groups}
        columns={COLUMNS}
        rowKey={(row) => String(row.id)}
        rowPath={(row) => `/admin/groups/${row.id}`}
        words={(row) => `${row.name} ${row.description ?? ''} ${row.member_of.join(' ')}`}
        first="group"
        tie={(row) => row.name}
        empty={
          <EmptyState
            icon={<GroupIcon size={26} />}
            title="No group yet"
            action={mayAdd ? addBy({ size: 'xs', variant: 'default' }) : null}
          >
            Rights are given to groups. Make one, put users in it, and grant it servers.
          </EmptyState>
        }
      />
      <GroupDialog opened={adding} onClose={() => setAdding(false)} />
    </>
  );
}
