// Who is in a group: users and other groups, found by typing. The list of users is for those who manage users; others
// see the members and say so.
import { Link } from 'react-router';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { CloseIcon, GroupIcon, UserIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { mayUse, useUser } from '../auth/use-user.ts';
import items from './item-list.module.css';
import { type Candidate, Picker } from './picker.tsx';
import classes from './rbac.module.css';
import type { GroupDetail } from './types.ts';

interface Member {
  type: 'user' | 'group';
  /** Undefined where the ids of users are not for the reader. */
  id: number | undefined;
  name: string;
}

function useMembers(group: GroupDetail) {
  const me = useUser().data;
  const users = useOperation('listUsers', {}, { enabled: mayUse(me, 'manage_users') }).data?.users ?? [];
  const groups = useOperation('listGroups', {}).data?.groups ?? [];
  const members: Member[] = [
    ...group.group_members.map((name) => ({
      type: 'group' as const,
      id: groups.find((one) => one.name === name)?.id,
      name,
    })),
    ...group.user_members.map((name) => ({
      type: 'user' as const,
      id: users.find((one) => one.username === name)?.id,
      name,
    })),
  ];
  const candidates: Candidate[] = [
    ...users
      .filter(({ username }) => !group.user_members.includes(username))
      .map(({ id, username, is_service_account }) => ({
        key: `user:${id}`,
        name: username,
        kind: is_service_account ? 'service account' : 'user',
      })),
    ...groups
      .filter(({ id, name }) => id !== group.id && !group.group_members.includes(name))
      .map(({ id, name }) => ({ key: `group:${id}`, name, kind: 'group' })),
  ];
  return { members, candidates };
}

interface MemberRowProps {
  member: Member;
  onRemove: ((member: Member & { id: number }) => void) | undefined;
}

function MemberRow({ member, onRemove }: MemberRowProps) {
  const { type, id, name } = member;
  const Icon = type === 'user' ? UserIcon : GroupIcon;
  return (
    <li className={items.row}>
      <Icon size={16} aria-hidden="true" />
      <div className={items.what}>
        {type === 'group' && id !== undefined ? (
          <Link className="link" to={`/admin/groups/${id}`}>
            <Name>{name}</Name>
          </Link>
        ) : (
          <Name>{name}</Name>
        )}{' '}
        <span className={layout.remark}>{type}</span>
      </div>
      {onRemove && id !== undefined ? (
        <RowButton
          verb="Remove"
          of={name}
          icon={CloseIcon}
          variant="subtle"
          onClick={() => onRemove({ ...member, id })}
        />
      ) : null}
    </li>
  );
}

export function GroupMembers({ group }: { group: GroupDetail }) {
  const me = useUser().data;
  const { members, candidates } = useMembers(group);
  const add = useOperationMutation('addGroupMember');
  const remove = useOperationMutation('removeGroupMember');
  const mayChange = mayUse(me, 'manage_groups');
  const params = { id: group.id };
  const pick = (key: string) => {
    remove.reset();
    const [type, id] = key.split(':');
    add.mutate({ params, body: type === 'user' ? { user_id: Number(id) } : { group_id: Number(id) } });
  };
  const drop = ({ type, id }: Member & { id: number }) => {
    add.reset();
    remove.mutate({ params: { ...params, type, memberId: id } });
  };
  return (
    <Panel title="Members" note={countOf(members.length, 'member')}>
      <div className={layout.close}>
        {members.length === 0 ? (
          <p className={items.empty}>This group has no members, so its grants have no effect.</p>
        ) : (
          <ul className={items.list} aria-label="Members">
            {members.map((member) => (
              <MemberRow
                key={`${member.type}:${member.name}`}
                member={member}
                onRemove={mayChange ? drop : undefined}
              />
            ))}
          </ul>
        )}
        <FormError error={add.error ?? remove.error} />
        {mayChange ? (
          <Picker
            label="Find a user or group"
            candidates={candidates}
            verb="Add"
            empty="All users are members already."
            isPending={add.isPending}
            onPick={pick}
          />
        ) : (
          <p className={classes.remark}>Changing members takes the permission manage_groups.</p>
        )}
        {mayChange && !mayUse(me, 'manage_users') ? (
          <p className={classes.remark}>
            Users cannot be added or removed here: listing them takes the permission manage_users.
          </p>
        ) : null}
      </div>
    </Panel>
  );
}
