// One group: who is in it, what it is granted, and what its members have through it in the end.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { DeleteIcon, EditIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { GroupEffective } from './group-effective.tsx';
import { GroupConnections, GroupMcp, GroupPermissions } from './group-grants.tsx';
import { GroupMembers } from './group-members.tsx';
import classes from './rbac.module.css';
import type { GroupDetail } from './types.ts';

function DeleteGroup({
  group,
  opened,
  onClose,
}: {
  group: GroupDetail;
  opened: boolean;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  return (
    <DeleteDialog
      operation="deleteGroup"
      id={opened ? group.id : undefined}
      title={`Delete ${group.name}?`}
      facts={[
        'Its members stay, and lose at once what they have through this group alone.',
        'Its grants and memberships are deleted with it.',
      ]}
      verb="Delete the group"
      onDone={() => navigate('/admin/groups')}
      onClose={onClose}
    />
  );
}

function Facts({ group }: { group: GroupDetail }) {
  const what = group.description ? <Name>{group.description}</Name> : 'Group';
  return group.requires_second_factor ? <>{what} · second factor required</> : what;
}

function Actions({ group }: { group: GroupDetail }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const close = () => setDialog(undefined);
  return (
    <>
      <Button variant="default" leftSection={<EditIcon size={16} />} onClick={() => setDialog('edit')}>
        Change
      </Button>
      <Button
        variant="outline"
        color="red"
        leftSection={<DeleteIcon size={16} />}
        onClick={() => setDialog('delete')}
      >
        Delete…
      </Button>
      <GroupDialog opened={dialog === 'edit'} group={group} onClose={close} />
      <DeleteGroup group={group} opened={dialog === 'delete'} onClose={close} />
    </>
  );
}

export function GroupPage() {
  const id = Number(useParams().id);
  const me = useUser().data;
  const query = useOperation('getGroup', { params: { id } }, { enabled: Number.isSafeInteger(id) });
  const group = query.data;
  if (!Number.isSafeInteger(id) || query.error?.status === 404) return <NotFoundPage />;
  if (!group)
    return (
      <>
        <PageHeader title="Group" />
        <Panel title="Group">
          <Query query={query} what="the group" />
        </Panel>
      </>
    );
  const mayLookUp = mayUse(me, 'manage_permissions');
  return (
    <>
      <PageHeader
        title={group.name}
        facts={<Facts group={group} />}
        actions={mayUse(me, 'manage_groups') ? <Actions group={group} /> : undefined}
      />
      <div className={classes.panels}>
        <div className={layout.stack}>
          <GroupMembers group={group} />
          <GroupConnections group={group} />
          {mayLookUp ? <GroupEffective group={group} /> : null}
        </div>
        <div className={layout.stack}>
          <GroupMcp group={group} />
          <GroupPermissions group={group} />
        </div>
      </div>
    </>
  );
}
